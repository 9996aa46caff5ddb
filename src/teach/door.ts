import { withoutDisguise } from "../turns/decisions/instruction-like.ts";
import type { Door, Registry } from "./registry.ts";

/** What is known about a question that is about to be asked. */
export interface Asking {
  question_id: string;
  skill?: string | null | undefined;
  category?: string | null | undefined;
  /** Its text, as far as it is known. */
  summary?: string | null | undefined;
}

export interface DoorVerdict {
  door: Door;
  /** Which rule decided. */
  by: "registry" | "skill" | "words" | "nothing speaks against it";
}

/** Skills whose approvals cannot be undone: security audits, deployments. */
const ONE_WAY = new Set(["cso:approval", "land-and-deploy:approval"]);

/** Whether the consequences of the answer can be undone. The registry decides, else the skill, else the text. */
export function doorOf(asking: Asking, registry: Registry): DoorVerdict {
  const known = registry.get(asking.question_id);
  if (known) return { door: known.door_type, by: "registry" };
  const skill = asking.skill ?? registry.skillOf(asking.question_id);
  // Without a category a question of such a skill counts as an approval.
  if (skill !== null && ONE_WAY.has(`${skill}:${asking.category ?? "approval"}`))
    return { door: "one-way", by: "skill" };
  if (isDestructive(asking.summary ?? "")) return { door: "one-way", by: "words" };
  return { door: "two-way", by: "nothing speaks against it" };
}

const KEYS =
  "(?:api[ -]?keys?|access[ -]?keys?|ssh[ -]?keys?|signing[ -]?keys?|keys?|tokens?|secrets?|credentials?|passwords?|passphrases?|certificates?)";

const DESTRUCTIVE: readonly RegExp[] = [
  // Files.
  /\brm\s+-[a-z]*[rf]/,
  /\bdelet(?:e|es|ing|ion)\b/,
  /\bremov(?:e|ing)\s+(?:[\w-]+\s+){0,3}(?:director(?:y|ies)|folders?|files?|branch(?:es)?|tables?|databases?|users?|accounts?)\b/,
  /\b(?:wipe|wiping|purge|purging|erase|erasing|destroy|destroying|truncate|truncating)\b/,
  // Databases.
  /\bdrop(?:ping)?\s+(?:[\w-]+\s+){0,2}(?:tables?|databases?|schemas?|index(?:es)?|columns?|collections?)\b/,
  /\bschema\s+migrations?\b|\bdata\s+model\s+changes?\b/,
  // Version control.
  /\bforce[- ]push|\bpush\s+(?:[\w/-]+\s+){0,3}(?:--force|-f\b)/,
  /\breset\s+--hard\b|\bcheckout\s+--|\brestore\s+\.|\bclean\s+-[a-z]*f|\bbranch\s+-d\b/,
  // Deployments.
  /\bkubectl\s+delete\b|\bterraform\s+destroy\b|\broll(?:ing)?[- ]?back\b/,
  // Keys, with words between verb and noun.
  new RegExp(`\\b(?:revok(?:e|ing)|reset(?:ting)?|rotat(?:e|ing))\\s+(?:[\\w'-]+\\s+){0,6}${KEYS}\\b`),
  // Fundamental or irreversible changes.
  /\barchitectur(?:e|al)\s+(?:changes?|forks?|shifts?|decisions?)\b|\bbreaking\s+changes?\b/,
  /\birreversibl[ey]\b|\b(?:cannot|can't|can not)\s+be\s+undone\b|\bpermanently\b/,
];

/**
 * What cannot be taken back, or reaches other people, in words that also have harmless meanings. Too wide to say what a
 * question is; wide enough for a hook that only has to leave it to the person.
 */
const GRAVE =
  /\b(?:abandon|abort|ban|blank|burn|cancel|charg|clean|clear|clos|contact|crash|deactivat|deploy|deprecat|detach|disabl|discard|disconnect|dispos|dump|eject|eliminat|email|empty|emptie|empti|end|evict|expir|expos|flush|forc|forget|format|free|git|halt|history|kill|leak|live|lock|lose|lost|mail|merg|migrat|nuk|obliterat|overwrit|pay|post|prod|production|prun|public|publish|push|quit|rebas|reclaim|refund|releas|replac|reset|restart|revert|revok|rewrit|rotat|scrap|scrub|sell|send|shred|shut|squash|stop|strip|suspend|terminat|throw|toss|transfer|trash|trim|undo|uninstall|unlink|unpublish|unsubscrib|vacuum|void|withdraw|zap|zero)(?:e?d|es?|s|ing|ment|ion|[bdgklmnpt]?ing|[bdgklmnpt]ed)?\b|\bg[eo]t(?:ting)?\s+rid\b|\bdrop|\b(?:take|taking|pull|tear|bring)\b[^.]{0,30}\b(?:down|off|out|apart)\b|\b(?:start|starting|begin)\s+(?:over|afresh|fresh)\b|\bfrom\s+scratch\b|\bremov|\bdelet|\beras|\bwip|\bpurg|\bdestr|\btruncat|\bcut\b|\bgone\b|\brm\b|\bdd\b|\bmkfs|\bsudo\b|\bcurl\b|--(?:force|hard|no-verify|yes)|\s-(?:rf|fr|f|y)\b|[|>;]\s*\w|https?:/;

/**
 * What belongs to others or opens something to them: whatever is done with it, an agent that takes care of notes and plans
 * has no reason to name it in a question that the human never wants to see.
 */
const FOREIGN =
  /\b(?:access|accounts?|admins?|approv\w*|backups?|budgets?|bypass\w*|certificates?|clusters?|contracts?|credentials?|customers?|databases?|doors?|everybody|everyone|firewalls?|grant\w*|invoices?|keys?|licen[cs]es?|money|passwords?|permissions?|prices?|privileges?|records?|secrets?|servers?|services?|tokens?|users?|volumes?|world)\b|\b(?:blow|bin|cross|hand|ignore|retire|roll|sign|sunset|tell|turn|let)(?:s|ing|ed)?\b|\bskip\w*\s+\w/;

const LONGEST = 20_000;

/** Whether a text may speak of something grave, also spelt in a way that hides it. */
export function isGrave(text: string): boolean {
  const plain = withoutDisguise(text.slice(0, LONGEST));
  const inOneRun = plain.replace(/(?<=[a-z])[^a-z\s]+(?=[a-z])/g, "");
  return (
    [plain, inOneRun].some((form) => GRAVE.test(form) || FOREIGN.test(form)) ||
    isDestructive(text) ||
    isDestructive(inOneRun)
  );
}

export function isDestructive(text: string): boolean {
  const plain = withoutDisguise(text.slice(0, LONGEST));
  return DESTRUCTIVE.some((pattern) => pattern.test(plain));
}
