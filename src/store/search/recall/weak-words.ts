import { fold } from "../terms.ts";

/**
 * Words that occur in questions without saying what they are about. Not stop words: where all else is equal, they
 * decide. Listed by meaning, because in a small book any word can be rare.
 */
const WEAK: ReadonlySet<string> = new Set(
  `
  one two three four five six seven eight nine ten first second third last next once half many much more most few less least some any
  every each several other another same different own whole entire only just even still yet already again always never often soon later
  now then today yesterday tomorrow day days week month year morning evening afternoon night time times moment long short big small
  large little great high low good better best bad worse worst new old early late right wrong full real main certain kind sort type way
  ways thing things stuff part parts place side end point case cases reason cause matter idea lot
  make makes made making take takes took taken give gives gave given put puts keep keeps kept use uses used using need needs needed
  want wants wanted try tries tried come comes came happen happens happened become became turn turned look looked see saw seen show
  shows showed shown find found know knew known think thought say said tell told ask asked mean meant work works worked working run
  runs ran start started stop stopped begin began begun finish finished done leave left stay stayed hold held bring brought set sets
  appear appeared seem seemed cause caused behind depend depending instead compare compared exactly actually finally mostly
  session sessions turn request asked question agent assistant tool conversation chat talk discuss discussed someone somebody people
  which what when where why who how did decide decided decision about
  january february march april june july august september october november december monday tuesday wednesday thursday friday saturday
  sunday spring summer autumn winter januar februar marz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag
  samstag sonntag janvier fevrier avril juin juillet aout decembre enero febrero abril junio julio agosto diciembre
  neu neue neuen alt alte alten lange lang kurz gross klein heute gestern morgen tag woche monat jahr grund ursache sache stelle machen
  gemacht gab geben brauchen brauchte brauchten stand standen liegen traf treffen gehen kommen kam welcher welche welches wann
  nouveau nouvelle vieux grand petit jour semaine mois raison cause fait faire mis quand pourquoi
  nuevo nueva viejo grande pequeno dia semana mes razon motivo hecho hacer cuando
  новый старый день неделя месяц причина сделали делать когда
  `
    .split(/\s+/)
    .filter((word) => word !== "")
    .map(fold),
);

export function isWeak(word: string): boolean {
  return WEAK.has(fold(word)) || /^\p{N}$/u.test(word);
}
