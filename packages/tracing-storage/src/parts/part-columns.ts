import { z } from "zod";
import type { ColumnForm } from "./column-reader.ts";
import { UnreadablePart } from "./unreadable-part.ts";

const serializations = z.object({
  version: z.literal(1),
  columns: z.array(z.object({ name: z.string(), kind: z.string() })),
});

/**
 * Forms of a part's columns, in the order of its streams.
 * @param columns content of `columns.txt`
 * @param serialization content of `serialization.json`
 * @param substreams content of `columns_substreams.txt`
 * @throws UnreadablePart
 */
export function columnForms(columns: string, serialization: string, substreams: string): ColumnForm[] {
  const { columns: kinds } = serializations.parse(JSON.parse(serialization));
  const kindOf = new Map(kinds.map(({ name, kind }) => [name, kind]));
  const typeOf = new Map([...columns.matchAll(/^`(\w+)` (.+)$/gm)].map(([, name, type]) => [name, type]));
  const forms = [...substreams.matchAll(/^\d+ substreams for column `(\w+)`:\n((?:\t.+\n?)*)/gm)].map(
    ([, name = "", streams = ""]): ColumnForm => ({
      ...{ name, type: typeOf.get(name) ?? "" },
      isSparse: kindOf.get(name) === "Sparse",
      streams: streams.split("\n").flatMap((line) => (line === "" ? [] : [line.slice(1)])),
    }),
  );
  const count = Number(/^(\d+) columns:$/m.exec(substreams)?.[1]);
  if (forms.length !== count) {
    throw new UnreadablePart("the list of streams is not read whole");
  }
  return forms;
}
