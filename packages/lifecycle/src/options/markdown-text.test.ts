import { expect, test } from "vitest";
import { z } from "zod";
import { markdownText } from "./markdown-text.ts";
import { optionFields } from "./option-field.ts";

test("writes one table of commands and one of options", () => {
  const fields = optionFields(
    z.object({
      "a.level": z.enum(["high", "low"]).default("low").describe("How much."),
      "a.path": z.string().default("").describe("Where, or a|b."),
    }),
  );
  const text = markdownText({ name: "p", description: "Does it.", commands: [["run", "Start."]], fields });
  expect(text).toBe(`# p

Does it.

## Commands

| Command | Meaning |
|---|---|
| \`run\` | Start. |

## Options

| Option | Environment | Value | Default | Meaning |
|---|---|---|---|---|
| \`--a.level\` | \`A_LEVEL\` | \`high\\|low\` | \`low\` | How much. |
| \`--a.path\` | \`A_PATH\` | \`text\` |  | Where, or a\\|b. |
`);
});
