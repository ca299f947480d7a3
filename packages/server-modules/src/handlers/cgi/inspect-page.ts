import type { Exchange } from "http-engine/exchange";
import { readPlaceholder } from "http-engine/placeholders";
import type { ScriptCommand } from "./script-run.ts";

/** Placeholders that the page lists. */
const shown = ["path", "root", "http.request.host", "http.request.method", "http.request.uri.path"];

/** Writes a line such as `Executable .................... /bin/report`: dots fill the gap before the value. */
function row(indent: string, name: string, value: string): string {
  return `${indent}${name} ${".".repeat(Math.max(30 - name.length - indent.length, 2))} ${value}\n`;
}

/** Writes a heading, and variables sorted by name. */
function rows(title: string, variables: ReadonlyMap<string, string>): string {
  const sorted = [...variables].sort(([one], [other]) => (one < other ? -1 : 1));
  return `${title}\n${sorted.map(([name, value]) => row("  ", name, value)).join("")}`;
}

/**
 * The page of `inspect`: shows the environment that a program would get.
 * @param told variables that the request and the config define
 * @param inherited variables from the server's environment
 * Source: aksdb/caddy-cgi v2, inspect.go
 */
export function inspectPage(
  exchange: Exchange,
  command: ScriptCommand,
  told: ReadonlyMap<string, string>,
  inherited: ReadonlyMap<string, string>,
): string {
  const placeholders = new Map(shown.map((name) => [`{${name}}`, readPlaceholder(exchange, name) ?? ""]));
  return [
    "CGI inspection page\n\n",
    row("", "Executable", command.name),
    ...command.args.map((arg, index) => row("  ", `Arg ${index + 1}`, arg)),
    row("", "Root", "/"),
    row("", "Dir", command.folder),
    rows("Environment", told),
    rows("Inherited environment", inherited),
    rows("Placeholders", placeholders),
  ].join("");
}
