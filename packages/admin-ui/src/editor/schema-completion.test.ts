import { CompletionContext } from "@codemirror/autocomplete";
import { json } from "@codemirror/lang-json";
import { EditorState } from "@codemirror/state";
import { expect, test } from "vitest";
import { type ConfigSchema, SchemaReader } from "../config/schema.ts";
import { completeBySchema } from "./schema-completion.ts";

const schema: ConfigSchema = {
  type: "object",
  properties: {
    name: { type: "string" },
    on: { type: "boolean", description: "Whether it is on." },
    handle: {
      type: "array",
      items: {
        anyOf: [
          { type: "object", properties: { handler: { enum: ["answer", "proxy"] } } },
          { type: "object", properties: { handler: { const: "answer" }, body: { type: "string" } } },
          { type: "object", properties: { handler: { const: "proxy" }, flush: { type: "integer" } } },
        ],
      },
    },
  },
};

/** @param text with | where the cursor is */
function completions(text: string): string[] {
  const pos = text.indexOf("|");
  const state = EditorState.create({ doc: text.replace("|", ""), extensions: json() });
  const found = completeBySchema(new SchemaReader(schema), schema)(new CompletionContext(state, pos, true));
  return found?.options.map(({ label, apply }) => String(apply ?? label)) ?? [];
}

test.each([
  ["{|}", ['"name": ""', '"on": true', '"handle": []']],
  ['{"|"}', ['"name": ""', '"on": true', '"handle": []']],
  ['{"n|": 1}', ['"name"', '"on"', '"handle"']],
  ['{\n"n|"\n"on": true}', ['"name": "",', '"handle": [],']],
  ['{"on": true, |}', ['"name": ""', '"handle": []']],
  ['{"on": |}', ["true", "false"]],
  ['{"on": t|}', ["true", "false"]],
  ['{"handle": [{"handler": "|"}]}', ['"answer"', '"proxy"']],
  ['{"handle": [{"handler": "proxy", |}]}', ['"flush": 0']],
  ['{"handle": [{"handler": "proxy", "fl|"}], "on": true}', ['"flush": 0']],
  ['{"handle": [{\n"fl|"\n"handler": "proxy"}]}', ['"flush": 0,']],
  ['{"unknown": {|}}', []],
])("%s is completed", (text, expected) => {
  expect(completions(text)).toEqual(expected);
});
