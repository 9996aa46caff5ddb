/**
 * The texts of generated sessions. Tool output dominates the bytes of real files, so it is built once, already
 * JSON-escaped and encoded, and copied from then on.
 *
 * @typedef {{ pieces: Buffer[], bytes: number, tokens: number }} Block
 */

const NOUNS =
  "invoice cache session ledger parser queue tenant report cursor token index window shard route price".split(" ");
const VERBS = "load merge settle render discover encode replay prune verify schedule resolve collect".split(" ");
const TYPES = ["string", "number", "Date", "Buffer", "readonly string[]", "Map<string, number>", "AbortSignal"];
// Bytes per character differ between scripts; a reader that counts UTF-16 units as bytes must trip over these.
const FOREIGN = [
  "处理用户输入并返回结果",
  "キャッシュが古い場合は再計算する",
  "설정 파일을 다시 읽는다",
  "größter gemeinsamer Teiler — später prüfen",
  "индекс перестраивается заново",
  "✓ tests passed 🎉",
];

/** @param {string} text */
const escaped = (text) => Buffer.from(JSON.stringify(text).slice(1, -1));
/** @param {string} word */
const capital = (word) => word[0].toUpperCase() + word.slice(1);

/**
 * @param {import("./rng.js").Rng} rng
 * @returns {string}
 */
function codeLine(rng) {
  const noun = rng.pick(NOUNS);
  const other = rng.pick(NOUNS);
  const verb = rng.pick(VERBS);
  const pad = "  ".repeat(rng.int(0, 4));
  switch (rng.int(0, 13)) {
    case 0:
      return `export async function ${verb}${capital(noun)}(${other}: ${rng.pick(TYPES)}): Promise<void> {`;
    case 1:
      return `${pad}const ${noun} = await this.#${other}.${verb}({ id: "${rng.hex(8)}", limit: ${rng.int(1, 500)} });`;
    case 2:
      return `${pad}if (!${noun}) throw new Error(\`no ${noun} for \${${other}.id}: "${verb}" failed\`);`;
    case 3:
      return `${pad}// ${capital(verb)} the ${noun} before the ${other}, or the totals drift.`;
    case 4:
      return `${pad}}`;
    case 5:
      return "";
    case 6:
      return `${pad}"${noun}_${other}": "${rng.hex(16)}",`;
    case 7:
      return `src/${noun}/${verb}-${other}.ts:${rng.int(1, 900)}:${rng.int(1, 90)}: expect(${noun}).toEqual("${other}")`;
    case 8:
      return `${pad}return ${noun}.map((${other}) => ${other}.${verb}()).filter((x) => x !== "\\n" && x !== '\\t');`;
    case 9:
      return `-rw-r--r-- 1 dev dev ${rng.int(100, 90000)} May ${rng.int(1, 28)} 1${rng.int(0, 9)}:${rng.int(10, 59)} ${noun}-${verb}.ts`;
    case 10:
      return ` ✓ ${noun} > ${verb}s the ${other} when it is empty (${rng.int(1, 900)}ms)`;
    case 11:
      return `${rng.hex(7)} ${verb} ${noun}: keep the ${other} (#${rng.int(10, 999)})`;
    case 12:
      return rng.chance(0.25) ? `${pad}/* ${rng.pick(FOREIGN)} */` : `\t${noun}\t${other}\t${rng.int(0, 99999)}`;
    default:
      return `+${pad}${noun}.${verb}(${other} ?? "${rng.hex(6)}");`;
  }
}

const ASKS = [
  "Fix the failing test in src/%n and tell me why it broke.",
  "Add a `%v` step to the %n pipeline, with tests.",
  "Why does the %n page show the wrong %m after a restart?",
  'Rename %n to %m everywhere; keep the old name as an alias.\n\nThe error is: "cannot %v undefined".',
  "Review the last commit and list anything that could break the %n.",
  "Make the %m %v faster, it takes 4 s on a large account.",
  "go on",
  "Write the changelog entry for the %n change, then run the whole test suite.",
  "请检查 %n 的缓存逻辑，修复重复计数的问题",
  "%n のテストが落ちる原因を調べて、直してください",
];

const SAYS = [
  "I looked at the %n code and the %m is built twice.",
  "The tests pass now.",
  "I will %v the %n first, then run the tests.",
  'The failure comes from "%m": it is read before the %n is ready.',
  "I changed two files and added one test for the empty %n.",
  "Nothing else depends on the old %m.",
  "Let me check how the %n is used elsewhere.",
  "There is one open question: should the %m survive a restart?",
];

export class Texts {
  /** @type {Block[]} sorted by size */
  #blocks = [];

  /** @param {import("./rng.js").Rng} rng */
  constructor(rng) {
    const lines = Array.from({ length: 6000 }, () => codeLine(rng));
    for (let i = 0; i < 480; i += 1) {
      const target = 200 * 300 ** rng.float();
      let text = "";
      while (text.length < target) text += `${lines[rng.int(0, lines.length - 1)]}\n`;
      const piece = escaped(text.slice(0, Math.max(200, Math.floor(target))).toWellFormed());
      this.#blocks.push({ pieces: [piece], bytes: piece.length, tokens: Math.ceil(text.length / 4) });
    }
    this.#blocks.sort((a, b) => a.bytes - b.bytes);
  }

  /**
   * One tool output, 0.2 to 60 KB; most are short.
   * @param {import("./rng.js").Rng} rng
   */
  output(rng) {
    return this.#blocks[Math.floor(rng.float() ** 1.2 * this.#blocks.length)];
  }

  /** A few lines, for the small shape. */
  shortOutput(/** @type {import("./rng.js").Rng} */ rng) {
    return this.#blocks[rng.int(0, Math.floor(this.#blocks.length * 0.3))];
  }

  /**
   * One output of the given size, made of shared pieces: even a 64 MB line costs no memory here.
   * @param {import("./rng.js").Rng} rng
   * @param {number} bytes
   * @returns {Block}
   */
  huge(rng, bytes) {
    const pieces = [];
    let size = 0;
    while (size < bytes) {
      const block = this.#blocks[rng.int(this.#blocks.length >> 1, this.#blocks.length - 1)];
      pieces.push(...block.pieces);
      size += block.bytes;
    }
    return { pieces, bytes: size, tokens: Math.ceil(size / 4) };
  }

  /**
   * @param {import("./rng.js").Rng} rng
   * @param {number} lines
   */
  code(rng, lines) {
    return Array.from({ length: lines }, () => codeLine(rng));
  }

  /** @param {import("./rng.js").Rng} rng */
  ask(rng) {
    return fill(rng, rng.pick(ASKS));
  }

  /**
   * @param {import("./rng.js").Rng} rng
   * @param {number} sentences
   */
  say(rng, sentences) {
    return Array.from({ length: sentences }, () => fill(rng, rng.pick(SAYS))).join(" ");
  }

  /** @param {import("./rng.js").Rng} rng */
  command(rng) {
    const noun = rng.pick(NOUNS);
    return rng.pick([
      `rg -n "${rng.pick(VERBS)}${capital(noun)}" src test`,
      `sed -n '${rng.int(1, 200)},${rng.int(201, 400)}p' src/${noun}/index.ts`,
      `npm test -- ${noun}`,
      "git status --short && git diff --stat",
      `cat src/${noun}/${rng.pick(VERBS)}.ts`,
      `node -e 'console.log(require("./package.json").version)'`,
    ]);
  }

  /** @param {import("./rng.js").Rng} rng */
  path(rng) {
    return `src/${rng.pick(NOUNS)}/${rng.pick(VERBS)}-${rng.pick(NOUNS)}.ts`;
  }
}

const SYLLABLES =
  "ba ce di fo gu la me ni po ru sa te vi xo zu ar en il op us tra ster ing ed tion ment able con".split(" ");
/** A home of a few months has about so many different words. */
const MANY = 60_000;

/**
 * Tool output with as many different words as that of real sessions, frequent ones often, and with paths, numbers and ids
 * between them. The other texts repeat a few dozen words, which every index of words likes.
 */
export class WordyTexts extends Texts {
  /** @type {string[]} */
  #words;

  /** @param {import("./rng.js").Rng} rng */
  constructor(rng) {
    super(rng);
    const word = () => Array.from({ length: rng.int(1, 4) }, () => rng.pick(SYLLABLES)).join("");
    this.#words = [...NOUNS, ...VERBS, ...Array.from({ length: MANY }, word)];
  }

  /**
   * @override
   * @param {import("./rng.js").Rng} rng
   */
  output(rng) {
    const target = 200 * 300 ** (rng.float() ** 1.2);
    let text = "";
    while (text.length < target) text += this.#part(rng) + (rng.chance(0.1) ? "\n" : " ");
    const piece = escaped(text);
    return { pieces: [piece], bytes: piece.length, tokens: Math.ceil(text.length / 4) };
  }

  /** @param {import("./rng.js").Rng} rng */
  #part(rng) {
    // Zipf's law: the word of rank n comes one n-th as often as the first.
    const word = () => this.#words[Math.floor(this.#words.length ** rng.float()) - 1];
    if (rng.chance(0.88)) return word();
    const kind = rng.float();
    if (kind < 0.35) return `src/${word()}/${word()}.ts:${rng.int(1, 900)}`;
    return kind < 0.7 ? String(rng.int(0, 100_000)) : rng.hex(8);
  }
}

/**
 * @param {import("./rng.js").Rng} rng
 * @param {string} template
 */
function fill(rng, template) {
  return template
    .replaceAll("%n", () => rng.pick(NOUNS))
    .replaceAll("%m", () => rng.pick(NOUNS))
    .replaceAll("%v", () => rng.pick(VERBS));
}
