import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CommandGroup } from "./command.ts";
import { rankCommands } from "./rank-commands.ts";

const command = (title: string, note?: string) => ({
  id: title,
  title,
  run: () => undefined,
  ...(note === undefined ? {} : { note }),
});
const groups: CommandGroup[] = [
  { title: "Pages", commands: [command("Go to search"), command("Go to services")] },
  {
    title: "Services",
    commands: [command("Search traces of payment"), command("Search traces of shipping-api")],
  },
  { title: "Appearance", commands: [command("Use the dark theme", "colours")] },
];
const titles = (text: string) =>
  rankCommands(groups, text).flatMap(({ commands }) => commands.map(({ title }) => title));

describe("rankCommands", () => {
  test("a blank text shows all, in order", () => {
    expect(titles(" ")).toEqual(groups.flatMap(({ commands }) => commands.map(({ title }) => title)));
  });

  test("what begins with the text comes first, across groups", () => {
    expect(titles("search")).toEqual([
      "Search traces of payment",
      "Search traces of shipping-api",
      "Go to search",
    ]);
  });

  test("each word must be there; begins of words go before middles", () => {
    expect(titles("tra api")).toEqual(["Search traces of shipping-api"]);
    expect(titles("colours")).toEqual(["Use the dark theme"]);
    expect(titles("api payment")).toEqual([]);
  });

  test("a group is cut to its first eight", () => {
    const many = [{ title: "Many", commands: Array.from({ length: 40 }, (_, at) => command(`one ${at}`)) }];
    expect(rankCommands(many, "one")[0]?.commands).toHaveLength(8);
  });

  test("every command shown holds each word of the text", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), (text) => {
        for (const { commands } of rankCommands(groups, text)) {
          for (const { title, note = "" } of commands) {
            for (const word of text.toLowerCase().split(/\s+/)) {
              expect(`${title} ${note}`.toLowerCase()).toContain(word);
            }
          }
        }
      }),
    );
  });
});
