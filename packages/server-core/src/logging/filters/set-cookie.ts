import { defineModule } from "../../modules/module.ts";
import type { LogFilter } from "../log-modules.ts";
import { changeCookie, cookieActionsSchema } from "./cookie-actions.ts";

/** Changes cookies of a response; for the field `resp_headers>Set-Cookie`. */
export const setCookieFilter = defineModule({
  id: "logging.encoders.filter.set_cookie",
  config: cookieActionsSchema,
  provision({ actions }): LogFilter {
    const change = (header: string): string[] => {
      const cut = header.indexOf(";");
      const changed = changeCookie(cut === -1 ? header : header.slice(0, cut), actions);
      return changed === undefined ? [] : [changed + (cut === -1 ? "" : header.slice(cut))];
    };
    return {
      filter(value) {
        if (typeof value === "string") {
          return change(value)[0];
        }
        return Array.isArray(value)
          ? value.flatMap((each) => (typeof each === "string" ? change(each) : [each]))
          : value;
      },
    };
  },
});
