import { isScalar, LineCounter, parseDocument, visit } from "yaml";
import type { z } from "zod";

/** Steps from the top of a document to a value. */
export type DocumentPath = readonly PropertyKey[];

/** A parsed document that matches its schema. */
export interface LocatedDocument<Value> {
  readonly value: Value;
  /** Makes the error for a position in the document. */
  readonly refuse: (path: DocumentPath, problem: string) => Error;
}

/**
 * Parses YAML or JSON that must match a schema. Errors contain line, column and field, but no part of the text.
 * @param origin name of the text in errors: `privacy.yaml:7:5: rules[1].length: …`
 * @param failOf makes the error for a message
 * @throws the error of `failOf` for the first mistake
 */
export function parseLocated<Schema extends z.ZodType>(
  text: string,
  origin: string,
  schema: Schema,
  failOf: (message: string) => Error,
): LocatedDocument<z.output<Schema>> {
  const lines = new LineCounter();
  // The parser would compare each key with all other keys of its map, which takes seconds for 10,000 keys.
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false });
  // The parser's message quotes the text, so only its code is shown.
  const fault = document.errors.map(({ pos, code }) => ({ at: pos[0], code }))[0] ?? repeatedKey(document);
  if (fault !== undefined) {
    const { line, col } = lines.linePos(fault.at);
    throw failOf(`${origin}:${line}:${col}: is not YAML or JSON: ${fault.code}`);
  }
  const refuse = (path: DocumentPath, problem: string) => {
    const node = nodeAt(document, path);
    const position = node?.range ? lines.linePos(node.range[0]) : { line: 1, col: 1 };
    return failOf(`${origin}:${position.line}:${position.col}: ${placeOf(path)}: ${problem}`);
  };
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw refuse([], (error as Error).message);
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    throw refuse(...problemOf(parsed.error.issues[0] as z.core.$ZodIssue));
  }
  return { value: parsed.data, refuse };
}

/** Finds a key that occurs twice in one map. */
function repeatedKey(document: ReturnType<typeof parseDocument>): { at: number; code: string } | undefined {
  let at: number | undefined;
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) {
          continue;
        }
        if (seen.has(key.value)) {
          at = key.range?.[0] ?? 0;
          return visit.BREAK;
        }
        seen.add(key.value);
      }
      return undefined;
    },
  });
  return at === undefined ? undefined : { at, code: "DUPLICATE_KEY" };
}

/** The position of the error for an unknown key is the key itself. */
function problemOf(issue: z.core.$ZodIssue): [DocumentPath, string] {
  if (issue.code === "unrecognized_keys") {
    return [[...issue.path, ...issue.keys.slice(0, 1)], "is not known here"];
  }
  if (issue.code === "invalid_key") {
    return [issue.path, issue.issues[0]?.message ?? issue.message];
  }
  return [issue.path, issue.message];
}

interface Node {
  readonly range?: readonly [number, number, number] | null | undefined;
}

/** The node at the longest part of the path that exists in the document. */
function nodeAt(document: ReturnType<typeof parseDocument>, path: DocumentPath): Node | undefined {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    if (typeof node === "object" && node !== null && "range" in node) {
      return node as Node;
    }
  }
  return document.contents ?? undefined;
}

function placeOf(path: DocumentPath): string {
  const text = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`)).join("");
  return text.replace(/^\./, "") || "the document";
}
