import { z } from "zod";
import { defineModule } from "../../modules/module.ts";
import { formatQuery, parseQuery } from "../../uri/query-parameters.ts";
import type { LogFilter } from "../log-modules.ts";
import { onTexts, shortHash } from "./on-texts.ts";

/** Changes parameters of a query in a URI. */
export const queryFilter = defineModule({
  id: "logging.encoders.filter.query",
  config: z.strictObject({
    actions: z
      .array(
        z.strictObject({
          type: z.enum(["replace", "hash", "delete"]).describe("What is done with the values."),
          parameter: z.string().describe("Name of the parameter."),
          value: z.string().nullish().describe("Text in place of each value, for replace."),
        }),
      )
      .describe("In order."),
  }),
  provision({ actions }): LogFilter {
    const change = (uri: string): string => {
      const cut = uri.indexOf("?");
      // In a path, `#` belongs to the query, because browsers do not send fragments.
      const fragment = uri.startsWith("/") ? -1 : uri.indexOf("#");
      const end = fragment === -1 ? uri.length : fragment;
      if (cut === -1 || end <= cut + 1) {
        return uri;
      }
      const { parameters } = parseQuery(uri.slice(cut, end));
      for (const { type, parameter, value } of actions) {
        const values = parameters.get(parameter);
        if (type === "delete") {
          parameters.delete(parameter);
        } else if (values !== undefined) {
          parameters.set(
            parameter,
            values.map((each) => (type === "hash" ? shortHash(each) : (value ?? ""))),
          );
        }
      }
      const sorted = new Map([...parameters].sort(([a], [b]) => (a < b ? -1 : 1)));
      return uri.slice(0, cut) + formatQuery(sorted) + uri.slice(end);
    };
    return { filter: (value) => onTexts(value, change) };
  },
});
