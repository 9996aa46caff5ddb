// Makes JSON Schema from the TypeScript types that the code is checked against: one definition, so nothing gets out of
// step.
import { readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Has a schema of its own (docs/schema/record.v1.schema.json). */
const RECORD = "LogRecord";

/**
 * Schemas of the members of one interface in a file, by name, and of all types they refer to. `refTo` makes the
 * reference to a definition.
 */
export function schemasOf(file, name, refTo) {
  const entry = join(root, file);
  const config = ts.parseConfigFileTextToJson(
    "tsconfig.json",
    readFileSync(join(root, "tsconfig.json"), "utf8"),
  ).config;
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const program = ts.createProgram([entry], { ...options, types: [] });
  const checker = program.getTypeChecker();
  /** Types that get a definition of their own, with their name in the schema. */
  const named = new Map();
  const defs = {};
  const owners = new Map();
  for (const symbol of checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry)))) {
    const type = checker.getDeclaredTypeOfSymbol(resolved(symbol));
    if (symbol.name !== name && !named.has(type)) named.set(type, { name: symbol.name, docs: docsOf(symbol) });
  }
  const members = Object.fromEntries(
    checker
      .getPropertiesOfType(exported(name))
      .map((property) => [property.name, schemaOf(checker.getTypeOfSymbol(property))]),
  );
  return { members, defs: Object.fromEntries(Object.entries(defs).toSorted(([a], [b]) => (a < b ? -1 : 1))) };

  function exported(name) {
    const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry)));
    return checker.getDeclaredTypeOfSymbol(resolved(symbols.find((symbol) => symbol.name === name)));
  }

  function resolved(symbol) {
    return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  }

  /** The doc comment at the export, else at the declaration. */
  function docsOf(symbol) {
    return textOf(symbol) || textOf(resolved(symbol));
  }

  function textOf(symbol) {
    return ts.displayPartsToString(symbol.getDocumentationComment(checker)).replaceAll(/\s+/g, " ").trim();
  }

  function schemaOf(type) {
    const name = nameOf(type);
    if (name === null) return plainSchema(type);
    if (name === RECORD) return { $ref: "urn:agent-daybook:schema:record:v1" };
    if (!(name in defs)) {
      // Registered before it is complete, because a type may refer to itself.
      defs[name] = null;
      owners.set(name, type);
      defs[name] = described(plainSchema(type), named.get(type)?.docs ?? "");
    } else if (owners.get(name) !== type) throw new Error(`two types are called ${name}: name one in ${file}`);
    return { $ref: refTo(name) };
  }

  /** The name of one of our interfaces, or of a union of them; null for others, such as unions of string literals. */
  function nameOf(type) {
    const known = named.get(type);
    if (known) return known.name;
    const symbol = type.aliasSymbol ?? (type.isClassOrInterface() ? type.symbol : undefined);
    const isOurs = symbol?.declarations?.some((at) =>
      at.getSourceFile().fileName.startsWith(`${root}src/`.replaceAll(sep, "/")),
    );
    const isObject =
      type.flags & ts.TypeFlags.Object || (type.isUnion() && type.types.some((one) => one.flags & ts.TypeFlags.Object));
    if (isOurs !== true || !isObject || type.aliasTypeArguments || checker.isArrayLikeType(type)) return null;
    named.set(type, { name: symbol.name, docs: docsOf(symbol) });
    return symbol.name;
  }

  function plainSchema(type) {
    const { flags } = type;
    if (flags & (ts.TypeFlags.Unknown | ts.TypeFlags.Any)) return {};
    if (flags & ts.TypeFlags.String) return { type: "string" };
    if (flags & ts.TypeFlags.Number) return { type: "number" };
    if (flags & ts.TypeFlags.Boolean) return { type: "boolean" };
    if (flags & ts.TypeFlags.Null) return { type: "null" };
    if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value };
    if (flags & ts.TypeFlags.BooleanLiteral) return { const: type.intrinsicName === "true" };
    if (type.isUnion()) return unionSchema(type.types);
    if (checker.isTupleType(type)) {
      const items = checker.getTypeArguments(type).map(schemaOf);
      return { type: "array", prefixItems: items, items: false, minItems: items.length };
    }
    if (checker.isArrayType(type)) return { type: "array", items: schemaOf(checker.getTypeArguments(type)[0]) };
    if (flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) return objectSchema(type);
    throw new Error(`no schema for ${checker.typeToString(type)}`);
  }

  function unionSchema(types) {
    const parts = types.filter((one) => !(one.flags & ts.TypeFlags.Undefined));
    const words = parts.filter((one) => one.isStringLiteral()).map((one) => one.value);
    const isBoolean = parts.filter((one) => one.flags & ts.TypeFlags.BooleanLiteral).length === 2;
    const rest = parts.filter(
      (one) => !one.isStringLiteral() && !(isBoolean && one.flags & ts.TypeFlags.BooleanLiteral),
    );
    const hasNull = rest.some((one) => one.flags & ts.TypeFlags.Null);
    const others = rest.filter((one) => !(one.flags & ts.TypeFlags.Null)).map(schemaOf);
    const all = [
      ...(words.length > 0 ? [{ enum: words }] : []),
      ...(isBoolean ? [{ type: "boolean" }] : []),
      ...others,
    ];
    const [only] = all;
    if (all.length === 1 && !hasNull) return only;
    if (all.length === 1 && only.enum) return { enum: [...only.enum, null] };
    if (all.length === 1 && Object.keys(only).join() === "type") return { type: [only.type, "null"] };
    return { anyOf: [...all, ...(hasNull ? [{ type: "null" }] : [])] };
  }

  function objectSchema(type) {
    const index = checker.getIndexInfoOfType(type, ts.IndexKind.String);
    const properties = {};
    const required = [];
    for (const property of checker.getPropertiesOfType(type)) {
      const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0;
      properties[property.name] = described(schemaOf(checker.getTypeOfSymbol(property)), docsOf(property));
      if (!isOptional) required.push(property.name);
    }
    return {
      type: "object",
      ...(Object.keys(properties).length > 0 ? { properties, required } : {}),
      // Otherwise additional properties are allowed: a later release may add some.
      ...(index ? { additionalProperties: schemaOf(index.type) } : {}),
    };
  }
}

function described(schema, description) {
  return description === "" ? schema : { ...schema, description };
}
