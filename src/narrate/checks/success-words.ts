import { gitSteps } from "../../answers/report/git-steps.ts";
import { inQuotes } from "./citations.ts";
import { provingOutputs, saysChanged } from "./printed.ts";
import type { Problem } from "./problem.ts";
import type { Scope } from "./scope.ts";

/** What must be recorded before a word of success is accepted. */
type Need = "check" | "commit" | "release" | "done" | "ok";

/** The words by what they need, in the languages of narratives. Latin and Cyrillic ones are matched as whole words. */
const WORDS: Readonly<Record<Need, readonly string[]>> = {
  check: [
    "passed|passes|passing|green|verified|verifies|validated|works|working|no (?:issues?|problems?|errors?|bugs?) (?:was |were )?(?:found|detected|remain(?:s|ing)?)",
    "bestanden|bestehen|verifiziert|validiert|grün(?:e[rsn]?)?|funktionier(?:t|en)|läuft wieder",
    "réussi(?:e?s?)|réussissent|passent|vérifiée?s?|validée?s?|verte?s?|fonctionne(?:nt)?",
    "pasaron|pasan|pasado|pasó|verificad[oa]s?|validad[oa]s?|verdes?|funcionan?",
    "superat[ioae]|passat[ioae]|verificat[ioae]|validat[ioae]|verdi|funziona(?:no)?",
    "passaram|passou|passam|funciona(?:m)?",
    "пройден[ыао]?|прошли|прош[её]л|проверен[ыао]?|проверил[аи]?|зел[её]н(?:ый|ые|ая|ое)|работа(?:ет|ют)",
  ],
  commit: [
    "merged|committed",
    "gemerge?d?t|zusammengeführt|committe[dt]|eingecheckt",
    "fusionnée?s?|committée?s?|commitée?s?",
    "fusionad[oa]s?|mergead[oa]s?|comm?itead[oa]s?",
    "unit[oiae]|mergiat[oiae]|committat[oiae]",
    "mesclad[oa]s?|comm?itad[oa]s?",
    "слит[ыао]?|смержен[ыао]?|смёржен[ыао]?|закоммичен[ыао]?",
  ],
  release: [
    "deployed|released|shipped|published|pushed|rolled out|went live",
    "deployt|deployed|ausgerollt|veröffentlicht|gepusht|ausgeliefert",
    "déployée?s?|publiée?s?|livrée?s?|poussée?s?",
    "desplegad[oa]s?|publicad[oa]s?|lanzad[oa]s?",
    "distribuit[oiae]|rilasciat[oiae]|pubblicat[oiae]",
    "implantad[oa]s?|lançad[oa]s?|publicad[oa]s?",
    "разв[её]рнут[ыао]?|выпущен[ыао]?|опубликован[ыао]?|запушен[ыао]?",
  ],
  done: [
    "fixed|fixes|resolved|resolves|implemented|completed|completes|finished|migrated|repaired|solved|accepted|all done|fully done",
    "behoben|gefixt|repariert|gelöst|implementiert|umgesetzt|fertiggestellt|abgeschlossen|erledigt|migriert|akzeptiert",
    "corrigée?s?|réparée?s?|résolue?s?|implémentée?s?|terminée?s?|achevée?s?|migrée?s?|acceptée?s?",
    "corregid[oa]s?|arreglad[oa]s?|solucionad[oa]s?|resuelt[oa]s?|implementad[oa]s?|completad[oa]s?|terminad[oa]s?|migrad[oa]s?|aceptad[oa]s?",
    "risolt[oiae]|corrett[oiae]|sistemat[oiae]|implementat[oiae]|completat[oiae]|migrat[oiae]|accettat[oiae]",
    "corrigid[oa]s?|consertad[oa]s?|resolvid[oa]s?|concluíd[oa]s?|aceit[oa]s?",
    "исправлен[ыао]?|исправил[аи]?|реш[её]н[ыао]?|реализован[ыао]?|заверш[её]н[ыао]?|выполнен[ыао]?|мигрирован[ыао]?|принят[ыао]?",
  ],
  ok: [
    "succeeded|succeeds|successful(?:ly)?|success",
    "erfolgreich(?:e[rsn]?)?",
    "avec succès",
    "con éxito|exitosamente",
    "con successo",
    "com sucesso",
    "успешно",
  ],
};

/** The same for scripts without spaces between words: forms that say it has happened. */
const SIGNS: Readonly<Record<Need, string>> = {
  check:
    "已通过|通过了|测试通过|全部通过|已验证|验证通过|验证了|已通過|通過了|測試通過|已驗證|合格し|パスし|通りました|通った|検証し|検証済|確認済|動作します|통과했|통과됨|통과하였|통과됐|검증했|검증됨|검증됐|작동합니다",
  commit: "已合并|合并了|已提交|提交了|已合併|合併了|マージし|マージ済|コミットし|병합했|병합됨|커밋했|커밋됨",
  release:
    "已部署|部署了|已发布|发布了|已推送|已發佈|已發布|デプロイし|リリースし|プッシュし|公開し|배포했|배포됨|출시했|푸시했",
  done: "已修复|修复了|已解决|解决了|已实现|实现了|已完成|完成了|已迁移|已修復|修復了|已解決|解決了|已實現|已遷移|修正し|修正済|解決し|解決済|実装し|実装済|完了し|完了済|移行し|수정했|수정됨|고쳤|해결했|해결됨|해결됐|구현했|구현됨|구현됐|완료했|완료됨|완료됐",
  ok: "成功|성공",
};

const PATTERNS: readonly (readonly [Need, RegExp])[] = (Object.keys(WORDS) as Need[]).map((need) => [
  need,
  new RegExp(`(?<![\\p{L}\\p{N}_-])(?:${WORDS[need].join("|")})(?![\\p{L}\\p{N}_])|${SIGNS[need]}`, "giu"),
]);

/** Words before it in the same clause that make it no claim. */
const NO_CLAIM = new RegExp(
  [
    "\\b(?:not|never|no longer|cannot|without|unless|until|before|if|whether|would|will|should|must|may|might|could|to be|yet to|needs?|needed|plan(?:s|ned)?|want(?:s|ed)?|ask(?:s|ed)?|request(?:s|ed)?|attempt(?:s|ed)?|tr(?:y|ies|ied)|fail(?:s|ed)? to|unable|supposed|intend(?:s|ed)?|propose[sd]?|suggest(?:s|ed)?|recommend(?:s|ed)?|no|nothing|none|neither|nor|remains? to|have to|has to|had to|un\\w+)\\b",
    "n['’]t\\b",
    "\\b(?:nicht|nie|kein(?:e[rnsm]?)?|ohne|soll(?:te|en)?|wird|werden|würde|muss|müssen|wollte?|bat|ob|wenn|falls|bevor|zu)\\b",
    "\\b(?:pas|jamais|sans|aucune?|doit|doivent|devrait|sera|seront|si|avant|à)\\b",
    "\\b(?:nunca|jamás|sin|ningun[oa]?|debe|deben|debería|será|serán|antes)\\b",
    "\\b(?:non|mai|senza|nessun[oa]?|deve|devono|dovrebbe|sarà|saranno|prima)\\b",
    "\\b(?:não|nunca|sem|nenhum[a]?|deve|devem|deveria|será|serão|antes)\\b",
    "(?<!\\p{L})(?:не|нет|без|никогда|будет|будут|должен|должн[ыао]|нужно|если|чтобы)(?!\\p{L})",
    "未|没|沒|不|尚|无法|無法|将|將|如果|需要|要求",
  ].join("|"),
  "iu",
);
/** Negations after the word, in languages that have them there. */
const DENIED = /^.{0,8}(?:ません|なかった|ない|ず|べき|たら|れば|지 (?:않|못)|해야|하려)/u;
/** `work` in other senses. */
const OTHER_SENSE =
  /^(?:works?|working) (?:on|with|in|through|toward|towards|as|at|around|from|directory|tree|copy|dir)\b/i;

const CLAUSE =
  /[.;:!?,()—–\n。；：！？，、]|\b(?:and|but|then|und|aber|dann|et|mais|puis|y|pero|luego|e|ma|mas|poi)\b|(?<!\p{L})(?:и|но|а|затем)(?!\p{L})/giu;

/** Words of success need a successful call in the cited lines that proves them. */
export function successProblems(text: string, scope: Scope, path: string): Problem[] {
  const found: Problem[] = [];
  for (const [need, pattern] of PATTERNS) {
    for (const match of text.matchAll(pattern)) {
      const [word] = match;
      if (!isClaim(text, match.index, word) || isProven(need, word, scope)) continue;
      found.push({
        rule: `claim.unproven.${need}`,
        path,
        message: `${inQuotes(word)} is said, and ${MISSING[need]}`,
        hint: HINTS[need],
      });
    }
  }
  return found;
}

function isClaim(text: string, at: number, word: string): boolean {
  if (OTHER_SENSE.test(text.slice(at, at + 40))) return false;
  const before = text.slice(Math.max(0, at - 80), at);
  const ends = [...before.matchAll(CLAUSE)].map((match) => match.index + match[0].length);
  const clause = before.slice(ends.at(-1) ?? 0);
  // A negation is at most a few words before what it negates.
  const near = clause.split(/\s+/u).slice(-7).join(" ");
  return !NO_CLAIM.test(near) && !DENIED.test(text.slice(at + word.length));
}

/** Commands that release something. */
const RELEASES =
  /\b(?:deploy|publish|release|push|kubectl\s+(?:apply|rollout)|helm\s+(?:upgrade|install)|terraform\s+apply|vercel|netlify|fly|wrangler|rsync|scp|serverless|cap|ansible-playbook)\b/i;

function isProven(need: Need, word: string, scope: Scope): boolean {
  if (scope.isRequest && saidByHuman(word, scope)) return true;
  const { calls, commits } = scope;
  const ok = calls.filter(({ status }) => status === "ok");
  const checked = calls.some(({ check }) => check?.result === "ok" && check.isLast);
  switch (need) {
    case "check":
      return checked || some(provingOutputs(scope, word), (text) => isPrinted(word, text));
    case "commit":
      return commits.length > 0 || ok.some(({ command }) => isMerge(command));
    case "release":
      return ok.some(({ command }) => RELEASES.test(command));
    case "done":
      return (
        checked ||
        commits.length > 0 ||
        ok.some(({ files }) => files.length > 0) ||
        some(provingOutputs(scope, word), saysChanged)
      );
    case "ok":
      return ok.length > 0;
  }
}

function some(texts: Iterable<string>, holds: (text: string) => boolean): boolean {
  for (const text of texts) if (holds(text)) return true;
  return false;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Whether a program printed the word as a claim. */
function isPrinted(word: string, text: string): boolean {
  const whole = new RegExp(`(?<![\\p{L}\\p{N}_-])${escaped(word)}(?![\\p{L}\\p{N}_-])`, "giu");
  return [...text.matchAll(whole)].some((match) => isClaim(text, match.index, match[0]));
}

function isMerge(command: string): boolean {
  return (
    /\b(?:gh|glab)\s+(?:pr|mr)\s+merge\b/.test(command) ||
    (command.includes("merge") && gitSteps(command).some((step) => step.kind === "commit" || step.kind === "move"))
  );
}

function saidByHuman(word: string, scope: Scope): boolean {
  const small = word.toLowerCase();
  for (const { lines } of scope.parts())
    if (lines.some(({ by, text }) => by === "human" && text.toLowerCase().includes(small))) return true;
  return false;
}

const MISSING: Readonly<Record<Need, string>> = {
  check: "no test, build or linter that is the last of its kind ended well in the cited lines",
  commit: "no commit or merge is in the cited lines",
  release: "no command that does it ended well in the cited lines",
  done: "no changed file, commit or passing check is in the cited lines",
  ok: "no call ended well in the cited lines",
};
const HINTS: Readonly<Record<Need, string>> = {
  check: "cite the result of the check, or say only what the agent did and that it was not checked",
  commit: "cite the commit, or say that the change was not committed",
  release: "cite the command that did it, or say that the agent reported it without a record",
  done: "cite the change, or say what the agent did without calling it done",
  ok: "cite a call that ended well, or leave the word out",
};
