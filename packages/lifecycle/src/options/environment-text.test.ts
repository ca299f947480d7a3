import { expect, test } from "vitest";
import { z } from "zod";
import { environmentText } from "./environment-text.ts";
import { duration } from "./fields.ts";
import { optionFields } from "./option-field.ts";

test("lists the variable of every option", () => {
  const schema = z.object({
    "a.b-c": duration("1s"),
    verbose: z.boolean().default(false),
    tags: z.string().default(""),
  });
  expect(environmentText(optionFields(schema)).split("\n").slice(3)).toEqual([
    "environment variable  option     default",
    "A_B_C                 --a.b-c    1s",
    "VERBOSE               --verbose  false",
    "TAGS                  --tags",
    "",
  ]);
});
