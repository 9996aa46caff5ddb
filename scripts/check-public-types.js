#!/usr/bin/env node
// Every type that the package's exported types refer to must be exported too, so that users can name it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("..", import.meta.url));
const entry = join(root, "src/index.ts");
const { compilerOptions } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"));
const { options } = ts.convertCompilerOptionsFromJson(compilerOptions, root);
const program = ts.createProgram([entry], options);
const checker = program.getTypeChecker();

const resolved = (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);
const exported = new Set(
  checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry))).map(resolved),
);
const missing = new Map();
// `Answers` maps commands to their answers, `Questions` questions to their types: members are named through the map.
const answers = [...exported].filter(({ name }) => name !== "Answers" && name !== "Questions");
for (const symbol of answers) for (const declaration of symbol.declarations ?? []) walk(declaration, symbol.name);
for (const [name, by] of missing) console.error(`src/index.ts does not export ${name}, which ${by} names`);
process.exitCode = missing.size > 0 ? 1 : 0;

/** Visits only what a user can see: no bodies, no private members. */
function walk(node, by) {
  if (ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword))
    return;
  if (ts.isBlock(node) || ts.isPrivateIdentifier(node) || (node.name && ts.isPrivateIdentifier(node.name))) return;
  if (ts.isPropertyDeclaration(node) || ts.isVariableDeclaration(node) || ts.isParameter(node)) {
    if (node.type) walk(node.type, by);
    return;
  }
  if (ts.isTypeReferenceNode(node) || ts.isExpressionWithTypeArguments(node)) {
    const symbol = checker.getSymbolAtLocation(node.typeName ?? node.expression);
    const target = symbol && resolved(symbol);
    const isOurs = target?.declarations?.some((at) => at.getSourceFile().fileName.startsWith(`${root}src/`));
    const isParameter = target && (target.flags & ts.SymbolFlags.TypeParameter) !== 0;
    if (isOurs && !isParameter && !exported.has(target)) missing.set(target.name, by);
  }
  ts.forEachChild(node, (child) => walk(child, by));
}
