/**
 * Phrases by which agents say that something is left undone, one list per way of saying it: English and German in full,
 * the most common ones of other languages. Each is matched within one sentence.
 */

/** Joins expressions into one, and replaces `__NAME__` with the word list of that name. */
function list(...parts: RegExp[]): RegExp {
  const words: Readonly<Record<string, string>> = { DONE, DO, SOME, COUNT };
  const source = parts.map((part) => part.source).join("|");
  return new RegExp(
    source.replace(/__(\w+?)__/g, (_, name: string) => words[name] ?? ""),
    "iu",
  );
}

/** Actions a person would want to know about when they were not done. */
const DONE =
  "pushed|committed|merged|deployed|released|published|shipped|rolled out|tested|verified|validated|run|executed|applied|migrated|implemented|finished|completed|started|rotated|installed|archived|backfilled|restarted|measured|reviewed|covered|wired(?: up)?|done";
const DO =
  "push|commit|merge|deploy|release|publish|run|re-?run|test|verify|validate|execute|apply|migrate|finish|complete|implement|rotate|install|archive|restart|build|measure|renew|close|reach|access|connect|download|upload|start|check";
const SOME =
  "\\d[\\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|several|some|a few|a couple of|many|most|both|the other|the last|the rest";

const COUNT = "\\d[\\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten";

/** Not done, or not done yet. */
export const UNDONE: RegExp = list(
  /\b(?:no|not|never|nothing|none|isn['’]t|aren['’]t|hasn['’]t|haven['’]t|doesn['’]t|don['’]t|wasn['’]t|weren['’]t|didn['’]t)\b[^.;:!?]{0,70}\b(?:yet|so far)\b/iu,
  /\bonly\b[^.;:!?]{0,60}\bso far\b/iu,
  /\b(?:has|have|is|are) yet to\b|\byet to be \w+/iu,
  /(?:^|[,;:(–—] ?|- |\b(?:and|but|though|still) )(?:still )?not (?:yet |been )?(?:__DONE__)\b(?! (?:by default|in CI|until|unless|for|when|if|on|by|as)\b)/iu,
  /\bun(?:pushed|committed|merged|deployed|released|published|tested|verified|finished)(?=[.,;)]|$| yet\b)/iu,
  /\b(?:is|are|was|were|remains?) (?:still )?(?:not |un)(?:pushed|committed|merged|deployed|released|published|shipped|rolled out|rotated|tested|verified|finished)\b(?! (?:by|until|unless|for|when|if|as)\b)/iu,
  /\b(?:has|have)(?: not|n['’]t)(?: yet)? been (?:__DONE__|\w+ed)\b/iu,
  /\b(?:tests?|suite|build|linter|lint|typecheck|migrations?|scripts?|checks?|backfill|deploy(?:ment)?|release|branch|changes|commits?|PR|production|prod|staging)\b[^.;]{0,50}\b(?:not|never|n['’]t)(?: yet)?(?: been)?(?: yet)? (?:__DONE__)\b(?! (?:by default|in CI|until|unless|for|when|if|by|as)\b)/iu,
  /\bonly (?:as )?a dry[- ]run\b|\bdry[- ]run only\b|\b(?:half|partly|partially) (?:done|finished|migrated|implemented|ready|converted)\b/iu,
  /\bnoch (?:nicht|keine?[nmrs]?)\b|\bnoch ohne\b|\b(?:steht|stehen) (?:noch )?aus\b|\bausstehend\b|\bsteht\b[^.;]{0,40}\baus$|\bbisher nur\b|\bhalb fertig\b/iu,
  /\bnicht (?:gepusht|committet|eingecheckt|deployt|ausgerollt|getestet|geprüft|verifiziert|ausgeführt|gelaufen|gemergt|gemerged|umgesetzt|fertig|veröffentlicht|angewendet|gestartet)\b|\bungetestet\b|\bungeprüft\b/iu,
  /尚未|还没有?|未(?:提交|推送|部署|测试|运行|完成|验证|合并)|まだ.{0,30}(?:ません|ない|ていない)|未(?:実施|対応|完了|検証|コミット|プッシュ|デプロイ|確認)|아직/iu,
  /\bpas encore\b|\btodavía no\b|\baún no\b|\bainda não\b|\bnon ancora\b|(?<!\p{L})(?:ещё|пока) не(?!\p{L})|\bnog niet\b/iu,
);

/** The agent says of itself that it did not do it. */
export const DID_NOT: RegExp = list(
  /\b(?:I|we) (?:have not|haven['’]t|did not|didn['’]t|had not|hadn['’]t) (?:been able to )?(?:actually |really |yet )?(?:__DONE__|__DO__|archived?|touched? (?:production|prod))\b(?! (?:into|across|out of the) )/iu,
  /\b(?:I|we)(?:['’]ve| have) not (?:yet )?\w+ed (?:anything|any of|it|the)\b(?! (?:else|other))/iu,
  /\b(?:habe ich|ich habe)\b[^.;]{0,60}\b(?:noch )?nicht (?:\w+ )?(?:ge\w+t|ausgeführt|ausgerollt|deployt|committet)\b/iu,
);

/** Tried, and could not. */
export const UNABLE: RegExp = list(
  /\b(?:I|we) (?:(?:could|can|may|was|am|were|are|do|did)(?: ?not|n['’]t)|cannot|can['’]t)(?: (?:able|allowed|permitted) to)? (?:yet |also |actually |directly |currently )?(?:__DO__|sign|log|authenticate|get (?:access|the|it|past|to)|edit|modify|delete|send|have (?:access|permission|the rights|credentials))\b(?! (?:any|a reason|why|how|evidence|another|other|that in|anything else)\b)/iu,
  /\b(?:I|we) (?:cannot|can['’]t|could ?(?:not|n['’]t)) see\b[^.;]{0,60}\b(?:from here|in this environment|on this machine)\b/iu,
  /\b(?:I|we) (?:was|am|were|are) (?:unable|not able|not allowed|not permitted)\b/iu,
  /\b(?:I|we) (?:have no|lack(?: the)?|don['’]t have(?: the)?) (?:access|permission|rights|credentials|network)\b/iu,
  /\bcould ?(?:not|n['’]t) be (?:__DONE__|reached|built|opened|created|checked|renewed)\b/iu,
  /\b(?:blocked|denied|refused|rejected) by (?:the )?(?:sandbox|policy|permission|hook|approval|network|server|user|remote|branch protection)/iu,
  /\bran out of (?:budget|time|tokens|context|memory|disk)\b|\b(?:I|we) (?:had to stop|stopped|paused) (?:here|there|before|after|at)\b/iu,
  /\b(?:limit|time-?out)\b[^.;]{0,50}\b(?:ended|killed|stopped|cut|aborted) (?:it|the|this|me|my)\b/iu,
  /\b(?:login|session|token|credentials?|certificate)s? (?:has |have |is |are )?(?:expired|missing|invalid)\b/iu,
  /\b(?:konnte|konnten|kann|können|darf|durfte|dürfen)\b(?: ich| wir| es| das| hier| leider){0,3}[^.;]{0,60}\bnicht\b[^.;]{0,30}\b(?:testen|prüfen|ausführen|pushen|deployen|starten|sehen|erreichen|installieren|schließen|verifizieren|ausrollen|anmelden|öffnen|bauen|laufen|verlängern|getestet|geprüft|ausgeführt|werden)\b/iu,
  /\b(?:ich|wir) (?:konnte|konnten|kann|können|darf|durfte|dürfen)\b[^.;]{0,60}\bnicht\b(?! (?:erkennen|finden|sagen|empfehlen|feststellen|reproduzieren))/iu,
  /无法(?:测试|运行|访问|推送|部署|验证|安装)|できませんでした|je n['’]ai pas pu|no (?:pude|he podido)|não (?:consegui|pude)|(?<!\p{L})не удалось/iu,
);

/** Some of it is left. */
export const LEFT: RegExp = list(
  /\bstill (?:to do|open|pending|missing|outstanding|failing|fails?|red|broken|untested|unverified|unresolved|unfixed|undone|needs?|need to|has to|have to|must|requires?|to be (?!fair|honest|clear|seen as)\w+|in progress|left|lacks?|wrong|incomplete|todo|manual|not)\b/iu,
  /\bstill (?:points?|refers?|uses?|imports?|references?|relies|rely|depends?|contains?)\b/iu,
  /\b(?:CI|pipeline|job|import|export|backfill|migration|build|deploy\w*|upload|download|index\w*|review) (?:is|are) (?:still )?(?:running|pending|queued|in progress|waiting)\b/iu,
  /\b(?:waits?|waiting|awaits?|awaiting) (?:for |on )?(?:a |the |your |an )?(?:review|approval|answer|reply|feedback|merge|decision|confirmation|access|credentials|go-ahead|sign-?off|input)\b/iu,
  /\bremains? (?:for you|to be (?!fair|seen as)\w+|to do|open|undone|unfixed|unresolved|unsolved|outstanding|pending|missing|untested|red|broken)\b/iu,
  /\bleft to (?:do|be done|fix|finish)\b|\bwhat(?:['’]s| is) (?:still )?(?:left|missing)\b|\bleft (?:it |this |that |them )?(?:for (?:later|tomorrow|another|the next|you)|undone)\b|\bleft an? (?:TODO|FIXME)\b/iu,
  /\b(?:__SOME__|the) tests? (?:is|are|still)(?: still)? (?:red|failing|broken)\b|\btests? still fails?\b/iu,
  /\bnot (?:all|everything)\b[^.;]{0,40}\b(?:done|fixed|migrated|covered|passes|pass)\b|\b(?:postponed|deferred|on hold)\b|\bknown (?:bug|issue|problem)\b/iu,
  /\b(?:fehlt|fehlen|offen|übrig|rot|kaputt) (?:ist|sind|bleib\w*) (?:nur )?noch\b|\bnoch (?:offen|zu tun|zu erledigen|zu machen|rot|kaputt|übrig)\b|\b(?:fehlt|fehlen)\b[^.;]{0,40}\bnoch\b|\bnoch\b[^.;]{0,40}\b(?:fehlt|fehlen)\b|\bbleib(?:t|en) (?:noch )?(?:offen|zu|übrig)\b|\b(?:muss|müssen|musst|müsst)\b[^.;]{0,40}\bnoch\b|\bschl(?:ägt|agen)\b[^.;]{0,40}\bnoch fehl\b|\bwartet (?:noch )?auf\b|\bläuft noch\b|\bfolgt (?:noch|morgen|später)\b|\bRest (?:folgt|morgen|später)\b|\bist (?:noch )?rot\b|\b(?:zeigt|zeigen|nutzt|nutzen|verwendet|verwenden) noch\b/iu,
  /仍(?:需|有|未)|还(?:需要?|剩|差)|残って(?:い|お)|reste(?:nt)? à|queda(?:n)? (?:por|pendientes?)|pendientes? de|falta(?:m|n)? (?:por )?\w+r\b|(?<!\p{L})осталось/iu,
);

/** How much of it is left. */
export const COUNTED: RegExp = list(
  /\b(?:__SOME__)\b[^.;]{0,40}\b(?:remain|remains|are left|is left|left to (?:do|fix|migrate|convert|port))\b/iu,
  /(?:^|[;,:(–—] ?|\b(?:with|and|but) )(?:only |still |about )?(?:__SOME__) (?:[\w-]+ ){0,3}(?:left|to go)\b(?! (?:untouched|alone|unchanged|as|in place|out|over|join|side|behind|of the))/iu,
  /\b(?:__COUNT__) of (?:the )?(?:__COUNT__) [^.;]{0,30}\b(?:done|migrated|converted|finished|archived|ported|fixed|translated)\b/iu,
  /\b(?:\d+|zwei|drei|vier|fünf|einige|mehrere) (?:\S+ ){0,3}(?:übrig|verbleiben|bleiben)\b/iu,
);

/** Others must review it before it is done; no session says when a pull request is merged. */
export const SUBMITTED: RegExp = list(
  /\b(?:opened|created|raised|submitted|geöffnet|erstellt|angelegt)\b[^.;]{0,60}\b(?:PR|pull request|MR|merge request)\b|\b(?:PR|pull request|merge request|MR) (?:#?\d+ )?(?:is |ist )?(?:open|opened|up|ready for review|offen|geöffnet|erstellt)\b/iu,
);

/** It is for the human to do. */
export const ASKED: RegExp = list(
  /\bplease (?:also |then |first |now )?(?:run|install|check|confirm|provide|set|add|rotate|grant|approve|merge|push|deploy|test|verify|close|delete|remove|choose|pick|decide|tell|send|share|upload|create|configure|enable|update|log|sign|paste|give|answer|do|start|stop|revoke|change|look)\b/iu,
  /\byou(?:['’]ll| will)? (?:still |also |now |then |just |only )?(?:need|have) to\b/iu,
  /\byou (?:must|should) (?:still |also |now |then )?(?!now\b|see\b|be able\b|be good\b|get\b|find\b|notice\b|have (?:a|an|the)\b|be all\b|hear\b|expect\b|not\b)\w+/iu,
  /\b(?:needs?|requires?|awaits?|waits? for|waiting (?:for|on)) (?:your|you|a human|manual|someone)\b/iu,
  /\b(?:needs?|wants?) (?:rotating|fixing|testing|checking|updating|reviewing|rerunning|restarting|replacing|cleaning|merging|deploying|migrating|rewriting)\b/iu,
  /\b(?:needs? to|has to|have to|must|should)(?: still| also| now)? be (?:\w+ed|run|done|set|rebuilt|sent|told|made|built|put|written)\b[^.;]{0,60}\b(?:before|by hand|manually|first|again|too|as well|in prod(?:uction)?|on (?:the|a|your) \w+|yourself|separately|next|soon|now)\b/iu,
  /^(?:remember|don['’]t forget|do not forget)\b/iu,
  /^(?:after|once)\b[^.;]{0,60}\b(?:run|start|deploy|push|retry|restart)\b[^.;]{0,60}\bagain\b/iu,
  /^(?:then |now |so )?(?:look|check|run|start|restart|deploy|try|verify|test|rerun|re-run|retry|watch|monitor|measure|rotate|revoke|deactivate|install|finish|continue|keep an eye)\b[^.!?]{0,100}\b(?:again|tomorrow|later|tonight|next week|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|in (?:tmux|screen|production|prod|the console|iam)|by hand|manually|yourself|before (?:you |the |we )?(?:deploy|releas|merg|push|go|ship|launch)\w*|on a (?:real|physical)|on your)\b/iu,
  /(?:^|[,;] (?:and |then )?)(?:tell|inform|notify|warn|ask) (?:the|your) (?:\w+ ){0,2}(?:team|customers?|users?|support|colleagues?|vendor|owner|ops|people|client)\b/iu,
  /\blet me know (?:which|what|whether|how|when|where|who)\b|\btell me (?:which|what|whether|how|when|where|if)\b/iu,
  /\bfor you to (?:do|run|decide|check|finish|merge|push|deploy|review)\b|\bremains for you\b|\bonly you can\b|\bup to you\b/iu,
  /\bbitte (?:noch |dann |zuerst |selbst |jetzt )?(?:(?:\S+ ){0,5}(?:prüfen|ausführen|starten|testen|installieren|bestätigen|wählen|entscheiden|setzen|ändern|rotieren|freigeben|mergen|pushen|deployen|anlegen|melden|mitteilen|angeben|löschen|entfernen)\b|(?:prüf|führ|start|test|installier|bestätig|wähl|entscheid|setz|änder|gib|sag mir|schick|lösch|entfern|mach)\w*)|\b(?:du musst|ihr müsst|Sie müssen|du solltest|ihr solltet|Sie sollten)\b|\b(?:muss|müssen|sollte|sollten)\b[^.;]{0,60}\b(?:von Hand|manuell|selbst|vorher|zuerst|nochmal|noch einmal|vor dem)\b|^(?:denk|denkt|denken Sie) daran\b|\bnicht vergessen\b|^(?:schau|prüf|start|führ|sieh)\w*\b[^.!?]{0,80}\b(?:morgen|nochmal|noch einmal|später|von Hand|manuell|selbst)\b/iu,
  /请(?:你|您)?(?:手动|自行|确认|运行|检查|安装|重启|更新|执行|提供|告诉)|需要(?:你|您)|(?:実行|確認|手動|インストール|再起動|設定|連絡)[^。]{0,10}(?:してください|お願い)|する必要があります|veuillez|vous devez|il (?:vous )?faut (?:encore )?\w+r\b|tienes que|debes \w+r\b|você precisa|(?<!\p{L})пожалуйста/iu,
);

/** The agent announces more work, but the turn ended. */
export const PROMISED: RegExp = list(
  /\b(?:I['’]ll|I will|I['’]m going to|I am going to|I plan to|next,? I|next I would)\b(?! (?:leave|keep|not|stop|be (?:here|happy|glad)|wait|never|assume|treat|let you|always|only|hold))/iu,
  /\b(?:ich werde|als nächstes|ich mache (?:dann|morgen|gleich|jetzt)|werde ich)\b(?![^.;]{0,40}\bnicht\b)/iu,
  /接下来我(?:会|将)|次に.{0,20}(?:します|行います)/iu,
);

/** The statement is about something that is settled, intended or hypothetical. */
export const NOT_MEANT: RegExp = list(
  /\bas (?:you |we )?(?:asked|requested|instructed|agreed|discussed|wanted|wished|planned|told)\b|\bper your\b|\bon purpose\b|\bdeliberately\b|\bintentional(?:ly)?\b|\bby design\b|\bnot (?:requested|needed|necessary|required|applicable)\b|\bno need\b|\bunnecessary\b|\bas (?:they|it) should\b|\bas expected\b|\bout of scope\b|\bbefore (?:the|this|my) (?:fix|change)\b|\bpre-?existing\b|\bunrelated\b/iu,
  /\bif (?:you(?:['’]d| would)?(?: ever| still)? (?:like|want|prefer|need|wish|decide|plan|have|see|hit|run)|needed|desired|wanted|helpful|that helps|necessary|preferred|it (?:fails|breaks|happens)|something|anything|so\b)|\bwhenever you\b|\bfeel free\b|\bhappy to\b|\bglad to\b|\bI can (?:also |then |now |next )?(?:add|do|help|make|write|extend|set|also|take|turn|implement|run|walk)|\bI could (?!not\b)(?:also |then )?\w+|\b(?:we|you) (?:can|could|may|might)(?: also| then| now)?\b|\boptional(?:ly)?\b|\bnice[- ]to[- ]have\b|\bin (?:the|a) future\b|\bsomeday\b|\bonce you(?:['’]re| are| have)\b/iu,
  /\bany(?:thing)? (?:other|else|further)\b|\bfurther (?:help|assistance|questions)\b|\bany questions\b/iu,
  /\bwie (?:gewünscht|gewollt|besprochen|verlangt|vereinbart)\b|\babsichtlich\b|\bbewusst\b|\bauf Wunsch\b|\bnicht nötig\b|\bnicht notwendig\b|\bwenn (?:du|ihr|Sie) (?:magst|willst|möchtest|wollt|möchten|wollen)\b|\bfalls (?:du|ihr|Sie|gewünscht|nötig)\b|\bbei Bedarf\b|\bgerne?\b[^.;]{0,30}\bkann ich\b|\bich kann (?:auch|gerne)\b|\bBescheid\b/iu,
  /如果(?:你|您|需要)|可选|よろしければ|必要(?:なら|であれば|に応じて)|ご希望|si (?:vous|tu) (?:voulez|veux|souhaitez)|si (?:quieres|lo deseas|necesitas)|se quiser|если (?:хотите|нужно)/iu,
);

/** What follows one of these words is a condition, not a fact. */
export const SUPPOSED: RegExp =
  /\b(?:if|when|whenever|unless|until|while|whether|where|in case|as long as|wenn|falls|sobald|solange|ob|bis)\b[^.;:]*$/iu;

/** Headlines under which agents put what might be done, or how to use what was done. */
export const OFFERS: RegExp = list(
  /\bnext (?:steps?|up)\b|\bsuggest\w*|\boptional\w*|\bideas?\b|\bnice[- ]to[- ]have|\b(?:possible|potential|further|future)\b|\brecommend\w*|\bimprovements?\b|\bif you\b|\bcould\b|\balternatives?\b|\boptions?\b|\bnächste schritte|vorschl[äa]g\w*|\bmöglich\w*|empfehl\w*|下一步|建议|次のステップ|提案|prochaines étapes|próximos pasos|próximos passos/iu,
  /^(?:how to|to (?:run|test|try|use|verify|start|build|deploy|reproduce|apply)|usage|try it|run it|commands?|verification|quick start|example|notes? on|how it works|so (?:führst|testest|startest)|verwendung|使い方|用法|使用方法)/iu,
);

/** Headlines under which agents put what is left. */
export const OPEN: RegExp = list(
  /^(?:(?:still|what['’]?s|what is|items?|work|things) )?(?:not (?:yet )?(?:done|finished|tested|verified|covered|included|implemented|run)|open(?: (?:points|items|issues|questions|ends|work|todos?))?|remaining(?: (?:work|steps|tasks|items|issues|todos?|failures))?|outstanding|left(?: to do| open)?|missing|pending|unresolved|to ?-?dos?|blocked|blockers?|unfinished|known (?:issues?|bugs?|problems?|failures?|gaps?)|loose ends?|still (?:open|to do|missing|failing)|manual steps?|action (?:needed|required)|needs? (?:your )?(?:attention|action|input)|for you(?: to do)?|(?:noch )?offen(?:e punkte)?|ausstehend|fehlt noch|noch (?:zu tun|offen)|verbleibend|未完成|待办|残り|未対応|残タスク|reste à faire|pendientes?)$/iu,
);

/** A question that only offers more of what was asked for. */
export const OFFERED: RegExp = list(
  /\b(?:want|would you like|do you want|shall|should|need) (?:me|I)\b|\bwould you like\b|\bdo you want\b|\bwant me to\b|\bshould (?:I|we)\b|\bshall (?:I|we)\b|\bhow about\b|\bsoll(?:en)? (?:ich|wir)\b|\bmöchte(?:st|n)\b|\bwillst du\b|要我|需要我|要不要|しましょうか|ますか|voulez-vous|veux-tu|quieres que|deseas que|quer que|хотите/iu,
);
export const MORE: RegExp = list(
  /\balso\b|\belse\b|\badditional(?:ly)?\b|\bfurther\b|\bmore\b|\bas well\b|\btoo\b|\banother\b|\bnext\b|\bauch\b|\bnoch\b|\bzusätzlich\b|\baußerdem\b|\bweitere\w*|另外|还|也|他に|さらに|aussi|également|también|além/iu,
);

/** The human says that they will do it themselves. */
export const MYSELF: RegExp = list(
  /\bi(?:['’]?ll| will|['’]?m going to)?(?: do| start| run| try| check| test| fix| remove| push| deploy| merge| handle| close| finish| take care of)(?: (?:it|that|this|them|the rest|\w+)){0,3} (?:myself|by hand|manually|later|tonight|tomorrow|on my own)\b/iu,
  /\b(?:mach|mache|erledige|starte|prüfe|teste|lösche|pushe)\b(?: ich)?(?: \w+){0,3} (?:selbst|selber|von hand|manuell|später|morgen|heute abend)\b|\bich (?:mach|starte|erledige)\w*\b[^.;]{0,40}\b(?:selbst|selber|von hand|später|morgen)\b/iu,
  /我自己|自分で/iu,
);
