import { type ChildProcess, spawn } from "node:child_process";
import type { Logger } from "lifecycle";
import { messageOf, ServerError } from "server-core/errors";
import { EventAborted, type EventHandler, type ServerEvent } from "server-core/events/server-event";
import { configDuration } from "server-core/modules/config-fields";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";

/** Default timeout in milliseconds; after it the program is killed. */
const defaultTimeoutMs = 30_000;
/** Maximum number of background commands of one handler that run at the same time. */
const maxInBackground = 10;
/** Maximum number of output bytes kept for the log; the last bytes are kept. */
const maxOutputBytes = 4_096;
/** Milliseconds after a program's exit until the rest of its output is given up. */
const lateOutputMs = 1_000;

const schema = z.strictObject({
  command: z
    .string()
    .min(1)
    .describe("Program to run; no shell is in between, and no placeholders are filled in."),
  args: z
    .array(z.string())
    .nullish()
    .describe("Its arguments; placeholders such as `{event.data.identifier}` allowed."),
  dir: z.string().nullish().describe("Folder to run it in (that of the server)."),
  timeout: configDuration().nullish().describe("How long it may run before it is killed (30s)."),
  foreground: z
    .boolean()
    .nullish()
    .describe("Whether further handlers, and who can be told to abort, wait for its end (false)."),
  abort_codes: z
    .array(z.int())
    .nullish()
    .describe("Exit codes that abort the event; only in the foreground."),
});

/**
 * Keeps the last bytes that a program printed. Standard output and standard error share one text, in order of arrival.
 */
class OutputEnd {
  #text = Buffer.alloc(0);

  constructor(child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("error", () => {}); // the child's exit reports the failure
      stream?.on("data", (chunk: Buffer) => {
        this.#text = Buffer.concat([this.#text, chunk]).subarray(-maxOutputBytes);
      });
    }
  }

  toString(): string {
    return this.#text.toString("utf8").trim();
  }
}

interface Ending {
  /** Exit code; undefined when the program was killed. */
  readonly code: number | undefined;
  /** Last bytes of the program's output, for the log. */
  readonly output: string;
}

/**
 * Runs commands when events occur.
 * | Mode | The event waits | Exit code in `abort_codes` | Another code |
 * |---|---|---|---|
 * | background | no | not allowed by the config | logged |
 * | foreground | until the end | the event is aborted | the handler failed, the event goes on |
 *
 * The event is written to the program's standard input as one line of JSON, a CloudEvent.
 * Source: Caddy's plug-in caddy-events-exec
 */
class ExecHandler implements EventHandler {
  readonly #config: z.infer<typeof schema>;
  readonly #log: Logger;
  /** Programs that run in the background now. At the limit the handler fails instead of starting another. */
  #inBackground = 0;

  constructor(config: z.infer<typeof schema>, log: Logger) {
    this.#config = config;
    this.#log = log;
  }

  async handle(event: ServerEvent): Promise<void> {
    if (this.#config.foreground === true) {
      await this.#runAndJudge(event);
      return;
    }
    if (this.#inBackground >= maxInBackground) {
      throw new Error(`${this.#config.command} runs ${maxInBackground} times already, so not for this event`);
    }
    this.#inBackground++;
    this.#runAndJudge(event)
      .catch((error: unknown) => this.#log.error(`event handler exec: ${event.name}: ${messageOf(error)}`))
      .finally(() => this.#inBackground--);
  }

  /** @throws EventAborted, Error for any exit code but 0 */
  async #runAndJudge(event: ServerEvent): Promise<void> {
    const { command, abort_codes } = this.#config;
    const { code, output } = await this.#run(event);
    const said = output === "" ? "" : `: ${output}`;
    if (code !== undefined && abort_codes?.includes(code) === true) {
      throw new EventAborted(`${command} exited with ${code}${said}`);
    }
    if (code !== 0) {
      throw new Error(`${command} ${code === undefined ? "was killed" : `exited with ${code}`}${said}`);
    }
    this.#log.debug(`event handler exec: ${event.name}: ${command} is done${said}`);
  }

  /** Runs the program once. @throws Error when the program cannot be started */
  #run(event: ServerEvent): Promise<Ending> {
    const { command, args, dir, timeout } = this.#config;
    return new Promise((resolve, reject) => {
      const child = spawn(
        command,
        (args ?? []).map((each) => event.fill(each)),
        {
          ...(dir ? { cwd: dir } : {}),
          stdio: ["pipe", "pipe", "pipe"],
          timeout: timeout || defaultTimeoutMs,
          killSignal: "SIGKILL",
        },
      );
      const output = new OutputEnd(child);
      child.once("error", reject);
      child.once("close", (code) => resolve({ code: code ?? undefined, output: String(output) }));
      // A child process that outlives the program may hold the output open.
      child.once("exit", () => {
        const timer = setTimeout(() => {
          child.stdout.destroy();
          child.stderr.destroy();
        }, lateOutputMs);
        child.once("close", () => clearTimeout(timer));
      });
      child.stdin.on("error", () => {}); // most programs do not read their input
      child.stdin.end(`${JSON.stringify(event.cloudEvent())}\n`);
    });
  }
}

/**
 * Example: `{ "handler": "exec", "command": "/usr/bin/notify", "args": ["{event.name}"] }`.
 * `abort_codes` without `foreground` refuses the config.
 */
export const execHandler = defineModule({
  id: "events.handlers.exec",
  config: schema,
  provision(config, context): EventHandler {
    if ((config.abort_codes?.length ?? 0) > 0 && config.foreground !== true) {
      throw new ServerError("MODULE_CONFIG", "must run commands in foreground to apply abort codes");
    }
    return new ExecHandler(config, context.log);
  },
});
