/**
 * The kit for readers of further agents: `agent-daybook/kit`. See docs/adding-a-source.md. A reader written with it is
 * given to `registerSource`, and checked by `testSource`.
 */
export type {
  Capabilities,
  Checked,
  Cursor,
  Diagnostic,
  DiscoverContext,
  Drift,
  Entry,
  EntryClass,
  ReadContext,
  Reading,
  Source,
  SourceRef,
  Tools,
} from "./agents/contract.ts";
export { blocksOf, callIn, imagesIn, parsedInput, textOf, type Block } from "./agents/kit/blocks.ts";
export {
  Beside,
  placed,
  placedIn,
  placedValue,
  recordBeside,
  recordIn,
  RecordLines,
  type PlacedRecord,
} from "./agents/kit/bundle.ts";
export {
  freshChat,
  readChat,
  type BesideFile,
  type Chat,
  type ChatState,
  type ReasonOf,
  type RuleNames,
  type Judge,
  type Rule,
  type Scene,
  type StatedUsage,
} from "./agents/kit/chat.ts";
export { DocumentLines } from "./agents/kit/document-lines.ts";
export { fieldsByType } from "./agents/kit/drift.ts";
export { JsonLines, type JsonLine, type Lines } from "./agents/kit/json-lines.ts";
export { iso, millis, num, obj, objects, str, type Native } from "./agents/kit/native.ts";
export type { ChatTools, Say } from "./agents/kit/say.ts";
export { findLogs, type FileVerdict } from "./agents/kit/session-files.ts";
export { sniff, type SniffResult } from "./agents/kit/sniff.ts";
export { Recent, RecentMap, SavedMap } from "./agents/kit/state.ts";
export { tokensIn, type TokenFields } from "./agents/kit/tokens.ts";
export { replaceTool, wholeListTool, writeTool } from "./agents/kit/tools.ts";
export { freshTree, treeOwner, type TreeOwner, type TreeState } from "./agents/kit/tree.ts";
export { lookAhead } from "./agents/kit/verdict.ts";
export { testSource, type SourceProblem } from "./book/reading/test-source.ts";
