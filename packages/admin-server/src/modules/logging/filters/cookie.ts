import { defineModule } from "../../../core/modules/module.ts";
import type { LogFilter } from "../log-modules.ts";
import { changeCookie, cookieActionsSchema } from "./cookie-actions.ts";
import { onTexts } from "./on-texts.ts";

/** Changes cookies of a request: for `request>headers>Cookie`. */
export const cookieFilter = defineModule({
  id: "logging.encoders.filter.cookie",
  config: cookieActionsSchema,
  provision({ actions }): LogFilter {
    const change = (header: string): string =>
      header
        .split(";")
        .flatMap((pair) => (pair.trim() === "" ? [] : (changeCookie(pair, actions) ?? [])))
        .join("; ");
    return { filter: (value) => onTexts(value, change) };
  },
});
