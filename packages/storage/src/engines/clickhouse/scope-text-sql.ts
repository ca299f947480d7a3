// SQL expressions on `scope_text`. `scope-text.ts` of `wire/rows` describes its format: name, version and
// schema URL of the scope, and the schema URL of the resource, separated by FF.

const texts = "splitByChar('\\xFF', scope_text)";

export const scopeName = `${texts}[1]`;
export const scopeVersion = `${texts}[2]`;
