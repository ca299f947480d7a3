import { messageOf } from "server-core/errors";
import { parse as parseToml } from "smol-toml";
import { parse as parseYaml } from "yaml";
import { TemplateStruct } from "./go-types.ts";
import { TemplateError } from "./template-error.ts";

/** A document as templates see it: `Meta` is its parsed front matter, `Body` the text behind it. */
function parsed(Meta: unknown, Body: string): TemplateStruct {
  return new TemplateStruct("templates.parsedMarkdownDoc", { Meta, Body });
}

/** Start, end and parser of each format. JSON keeps its braces, because they belong to the data. */
const kinds: readonly (readonly [start: RegExp, end: RegExp, parse: (text: string) => unknown])[] = [
  [/^---\r?\n/, /^---[ \t]*$/m, (text) => parseYaml(text)],
  [/^\+\+\+\r?\n/, /^\+\+\+[ \t]*$/m, (text) => parseToml(text)],
  [/^(?=\{\r?\n)/, /^\}[ \t]*$/m, (text) => JSON.parse(`${text}}`) as unknown],
];

/** Splits front matter in YAML (`---`), TOML (`+++`) or JSON (`{`) from a document. @throws TemplateError */
export function splitFrontMatter(document: string): TemplateStruct {
  for (const [start, end, parse] of kinds) {
    const opened = start.exec(document);
    if (opened === null) {
      continue;
    }
    const rest = document.slice(opened[0].length);
    const closed = end.exec(rest);
    if (closed === null) {
      throw new TemplateError("front matter without an end");
    }
    try {
      return parsed(parse(rest.slice(0, closed.index)) ?? {}, rest.slice(closed.index + closed[0].length));
    } catch (error) {
      throw new TemplateError(`front matter: ${messageOf(error)}`, { cause: error });
    }
  }
  return parsed({}, document);
}
