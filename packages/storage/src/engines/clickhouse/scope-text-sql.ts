// Expressions on `scope_text`. What it holds is said in `scope-text.ts` of `wire/rows`: name, version and schema URL of the scope and
// the schema URL of the resource, with FF between them.

const texts = "splitByChar('\\xFF', scope_text)";

export const scopeName = `${texts}[1]`;
export const scopeVersion = `${texts}[2]`;
