import { handlerDirective } from "serverfile/directives/directive";
import type { ModuleText } from "serverfile/module-text";
import { fieldLines } from "serverfile/to-text/lines/field-lines";
import { blockOf } from "serverfile/to-text/lines/line";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";
import { duration, flag, integer, readFields, size, text, texts } from "serverfile/values/block-fields";
import type { Draft } from "serverfile/values/draft";

/**
 * Lines of the block, and the member that each line sets. Names in the text have underscores; members have the
 * plug-in's spelling.
 */
const fields = {
  dir: text("workingDirectory"),
  script_name: text("scriptName"),
  env: texts("envs"),
  pass_env: texts("passEnvs"),
  pass_all_env: flag("passAllEnvs"),
  inspect: flag("inspect"),
  buffer_limit: size("buffer_limit", "invalid buffer limit '%s'"),
  unbuffered_output: flag("unbufferedOutput"),
  max_body: size("max_body", "invalid max_body '%s'"),
  max_processes: integer("max_processes", "invalid max_processes '%s'"),
  timeout: duration("timeout", "invalid timeout '%s'"),
  idle_timeout: duration("idle_timeout", "invalid idle_timeout '%s'"),
};

/**
 * `cgi <executable> [args…] { … }`: runs a program for each request. The words after the executable are its arguments.
 * Placeholders are stored as text and replaced for each request.
 * ```
 * cgi /report* /usr/lib/report.py --brief {path} {
 *   script_name /report
 *   env REPORT_MODE=live
 *   max_processes 4
 *   timeout 30s
 * }
 * ```
 * becomes
 * ```json
 * [
 *   {
 *     "match": [{ "path": ["/report*"] }],
 *     "handle": [
 *       {
 *         "handler": "cgi",
 *         "executable": "/usr/lib/report.py",
 *         "args": ["--brief", "{http.request.uri.path}"],
 *         "scriptName": "/report",
 *         "envs": ["REPORT_MODE=live"],
 *         "max_processes": 4,
 *         "timeout": 30000000000
 *       }
 *     ]
 *   }
 * ]
 * ```
 * Source: aksdb/caddy-cgi v2
 */
const directive = handlerDirective(({ cursor }) => {
  cursor.next();
  const [executable, ...args] = cursor.remainingArguments();
  if (executable === undefined) {
    throw cursor.error("an executable needs to be specified");
  }
  const draft: Draft = { handler: "cgi", executable, ...(args.length > 0 && { args }) };
  readFields(cursor, draft, fields, (word) => `unknown subdirective: "${word}"`);
  return draft;
});

/** Writes the executable and its arguments on the first line, then one line for each member that the config has. */
const toText: HandlerWriter = (handler) => {
  const executable = handler.text("executable") ?? "";
  const args = handler.texts("args") ?? [];
  return {
    directive: "cgi",
    words: [executable, ...args],
    ...blockOf(fieldLines(handler, fields)),
  };
};

export const cgiText: ModuleText = { directive, toText };
