import { defineModule } from "../../modules/module.ts";
import type { LogFilter } from "../log-modules.ts";
import { changeCookie, cookieActionsSchema } from "./cookie-actions.ts";

/** Changes cookies of a request; for the field `request>headers>Cookie`. */
export const cookieFilter = defineModule({
  id: "logging.encoders.filter.cookie",
  config: cookieActionsSchema,
  provision({ actions }): LogFilter {
    const change = (header: string): string[] =>
      header.split(";").flatMap((pair) => (pair.trim() === "" ? [] : (changeCookie(pair, actions) ?? [])));
    return {
      filter(value) {
        if (!Array.isArray(value)) {
          return typeof value === "string" ? change(value).join("; ") : value;
        }
        // Several header fields are filtered and then logged as one field.
        const kept = value.flatMap((each) => (typeof each === "string" ? change(each) : []));
        return kept.length === 0 ? [] : [kept.join("; ")];
      },
    };
  },
});
