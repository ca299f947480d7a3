import { z } from "zod";
import { shortHash } from "./on-texts.ts";

export const cookieActionsSchema = z.strictObject({
  actions: z
    .array(
      z.strictObject({
        type: z.enum(["replace", "hash", "delete"]).describe("What is done with the value."),
        name: z.string().describe("Name of the cookie."),
        value: z.string().nullish().describe("Text in place of the value, for replace."),
      }),
    )
    .describe("The first for a name counts."),
});

export type CookieActions = z.infer<typeof cookieActionsSchema>["actions"];

/** @param pair `name=value` @returns undefined to remove the cookie */
export function changeCookie(pair: string, actions: CookieActions): string | undefined {
  const cut = pair.indexOf("=");
  const name = (cut === -1 ? pair : pair.slice(0, cut)).trim();
  const action = actions.find((each) => each.name === name);
  const given = cut === -1 ? "" : pair.slice(cut + 1).trim();
  const isQuoted = given.length >= 2 && given.startsWith('"') && given.endsWith('"');
  const around = isQuoted ? '"' : "";
  switch (action?.type) {
    case "delete":
      return undefined;
    case "replace":
      return `${name}=${around}${action.value ?? ""}${around}`;
    case "hash":
      return `${name}=${around}${shortHash(isQuoted ? given.slice(1, -1) : given)}${around}`;
    default:
      return pair.trim();
  }
}
