import { bind } from "./bind.ts";
import type { Directive } from "./directive.ts";
import { handle } from "./handle.ts";
import { handleErrors } from "./handle-errors.ts";
import { handlePath } from "./handle-path.ts";
import { log } from "./log.ts";
import { route } from "./route.ts";
import { tls } from "./tls.ts";

/** Directives that configure the site itself. All other directives belong to modules. */
export const siteDirectives: ReadonlyMap<string, Directive> = new Map([
  ["bind", bind],
  ["handle", handle],
  ["handle_errors", handleErrors],
  ["handle_path", handlePath],
  ["log", log],
  ["route", route],
  ["tls", tls],
]);
