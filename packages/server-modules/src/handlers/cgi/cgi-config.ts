import { configCount, configDuration } from "server-core/modules/config-fields";
import { z } from "zod";
import { pathText } from "../../files/path-text.ts";

/** `NAME=value`. A value may contain line breaks, but no NUL. */
const variable = z.string().regex(/^[^=\0]+=[^\0]*$/s, { error: "a variable is written NAME=value" });
/** A variable's name alone, for variables inherited from the server. */
const variableName = z.string().regex(/^[^=\0]+$/, { error: "the name of a variable has no '='" });

/** Config of the handler `cgi`. Source: Caddy's plug-in of the same name (aksdb/caddy-cgi v2) */
export const cgiSchema = z.strictObject({
  executable: pathText()
    .min(1, { error: "an executable needs to be specified" })
    .describe("Program to run, by its path; it is not looked up in PATH. Placeholders allowed."),
  /** Each entry is one argument, even when a placeholder inserts spaces: no shell is used. */
  args: z.array(z.string()).nullish().describe("Its arguments; placeholders allowed."),
  workingDirectory: pathText()
    .nullish()
    .describe("Folder to run it in (the program's own); a relative `executable` is looked up there."),
  /** A request path that does not begin with this prefix becomes PATH_INFO as a whole. */
  scriptName: z
    .string()
    .nullish()
    .describe("Beginning of the path that becomes SCRIPT_NAME; the rest is PATH_INFO. Placeholders allowed."),
  envs: z
    .array(variable)
    .nullish()
    .describe("More variables, each as `NAME=value`; placeholders allowed. They win over all others."),
  passEnvs: z.array(variableName).nullish().describe("Variables of the server that the program gets."),
  passAllEnvs: z
    .boolean()
    .nullish()
    .describe("Whether the program gets all variables of the server (false)."),
  inspect: z
    .boolean()
    .nullish()
    .describe(
      "Whether to answer with what the program would get, secrets included, in place of running it (false).",
    ),
  /**
   * 0 means the default. The buffer file has no name, so it disappears with the
   * program.
   */
  buffer_limit: configCount()
    .nullish()
    .describe("Bytes of a body of unknown length that are kept in memory; more go to a file (4 MiB)."),
  unbufferedOutput: z
    .boolean()
    .nullish()
    .describe("Whether each piece of the output is sent at once, past what encoders hold back (false)."),
  max_body: configCount()
    .nullish()
    .describe("Bytes of a body of unknown length beyond which it is refused with 413 (1 GiB)."),
  /** Limit per worker thread: a server with four threads runs four times as many. `Retry-After` is 1 s. */
  max_processes: z
    .int()
    .positive()
    .nullish()
    .describe("Programs that one worker thread runs at a time; more requests get 503 (100)."),
  /** The client gets 504. If the head was sent already, the connection is closed instead. */
  timeout: configDuration().nullish().describe("How long the program may run before it is ended (no limit)."),
  /** Time in which a slow client blocks the output does not count as idle. */
  idle_timeout: configDuration()
    .nullish()
    .describe("How long the program may neither print nor take anything before it is ended (5m)."),
});
