import { dirname, resolve } from "node:path";
import type { Exchange } from "http-engine/exchange";
import type { HttpHandler } from "http-engine/handler";
import { HttpError } from "http-engine/http-error";
import {
  compileFileTemplate,
  compileTemplate,
  setPlaceholder,
  type Template,
} from "http-engine/placeholders";
import { defineModule } from "server-core/modules/module";
import type { ModuleContext } from "server-core/modules/module-context";
import type { z } from "zod";
import { cgiSchema } from "./cgi-config.ts";
import { inspectPage } from "./inspect-page.ts";
import { ProcessGroups } from "./process-group.ts";
import { asEnvironment, inheritedVariables, requestVariables } from "./script-environment.ts";
import { type InputLimits, type ScriptInput, scriptInput } from "./script-input.ts";
import { closeInput, type ScriptCommand, ScriptRun, type ScriptSettings } from "./script-run.ts";

/** Default of the in-memory part of a buffered body, in bytes. */
const defaultMemoryBytes = 4 * 1024 * 1024;
const defaultMaxBytes = 1024 * 1024 * 1024;
const defaultMaxProcesses = 100;
const defaultIdleMs = 5 * 60_000;

type Config = z.infer<typeof cgiSchema>;

/** Checks a placeholder value in the program's path: the value must not lead out of the folder. */
function programPart(value: string): string {
  if (value.split(/[\\/]/).includes("..")) {
    throw new HttpError(400, "a path with '..' cannot name a program");
  }
  return value;
}

/** A program, and the variables that its environment gets in addition to inherited variables. */
interface Prepared {
  /** The program and its arguments, with placeholders replaced. */
  readonly command: Omit<ScriptCommand, "environment">;
  /** Variables of the request and of the config. */
  readonly told: Map<string, string>;
}

/**
 * Handles a request in steps: prepare the body, replace placeholders, run the program, send its output as the response.
 * Placeholders `{path}` and `{root}` are set as in the plug-in.
 */
class CgiHandler implements HttpHandler {
  readonly inRehearsal = "answers";
  /** Path of the program. The value of a placeholder cannot lead out of the folder. */
  readonly #executable: Template;
  readonly #args: readonly Template[];
  readonly #scriptName: Template;
  readonly #envs: readonly Template[];
  readonly #folder: string | undefined;
  /** Reads the inherited variables for each run, so that changes of the environment take effect. */
  readonly #inherited: () => Map<string, string>;
  readonly #inspects: boolean;
  readonly #limits: InputLimits;
  readonly #maxProcesses: number;
  /** Requests whose body is read, or whose program runs. */
  #underWay = 0;
  /** Shared by all runs of this handler. */
  readonly #settings: ScriptSettings;

  constructor(config: Config, context: ModuleContext) {
    this.#executable = compileFileTemplate(config.executable, programPart);
    this.#args = (config.args ?? []).map(compileTemplate);
    this.#scriptName = compileTemplate(config.scriptName ?? "");
    this.#envs = (config.envs ?? []).map(compileTemplate);
    this.#folder = config.workingDirectory ? resolve(config.workingDirectory) : undefined;
    this.#inherited = () => inheritedVariables(config.passEnvs ?? [], config.passAllEnvs === true);
    this.#inspects = config.inspect === true;
    this.#limits = {
      memoryBytes: config.buffer_limit || defaultMemoryBytes,
      maxBytes: config.max_body || defaultMaxBytes,
    };
    this.#maxProcesses = config.max_processes ?? defaultMaxProcesses;
    this.#settings = {
      groups: new ProcessGroups(),
      log: context.log,
      flushes: config.unbufferedOutput === true,
      timeoutMs: config.timeout ?? 0,
      idleMs: config.idle_timeout ?? defaultIdleMs,
    };
  }

  handle(exchange: Exchange): void | Promise<void> {
    if (this.#inspects) {
      const { command, told } = this.#prepare(exchange, undefined);
      const page = inspectPage(exchange, { ...command, environment: {} }, told, this.#inherited());
      exchange.responseHeaders.push("Content-Type", "text/plain; charset=utf-8");
      exchange.respond(200, page);
      return undefined;
    }
    return this.#takePlace(exchange);
  }

  /**
   * Reads the body and runs the program. A request takes its place before the body is read, so that requests beyond the
   * limit use neither memory nor files.
   */
  async #takePlace(exchange: Exchange): Promise<void> {
    this.#refuseBeyond(exchange, this.#underWay);
    this.#underWay++;
    try {
      await this.#runOnce(exchange, await scriptInput(exchange, this.#limits));
    } finally {
      this.#underWay--;
    }
  }

  close(): Promise<void> {
    return this.#settings.groups.close();
  }

  /** @param count requests or programs under way. @throws HttpError 503 */
  #refuseBeyond(exchange: Exchange, count: number): void {
    if (Math.max(count, this.#settings.groups.size) >= this.#maxProcesses) {
      exchange.responseHeaders.push("Retry-After", "1");
      throw new HttpError(503, `${this.#maxProcesses} programs run already`);
    }
  }

  /** Runs the program once. The body's file is closed in every case. */
  async #runOnce(exchange: Exchange, input: ScriptInput): Promise<void> {
    try {
      this.#refuseBeyond(exchange, 0); // programs of ended requests may still run
      const { command, told } = this.#prepare(exchange, input.length);
      const environment = asEnvironment(new Map([...this.#inherited(), ...told]));
      await new ScriptRun(exchange, { ...command, environment }, this.#settings).run(input);
    } finally {
      await closeInput(input);
    }
  }

  /** Replaces all placeholders that depend on the request. */
  #prepare(exchange: Exchange, contentLength: number | undefined): Prepared {
    const scriptName = this.#scriptName(exchange);
    const { path } = exchange;
    const pathInfo = path.startsWith(scriptName) ? path.slice(scriptName.length) : path;
    setPlaceholder(exchange, "root", "/");
    setPlaceholder(exchange, "path", pathInfo);
    const executable = this.#executable(exchange);
    const args = this.#args.map((each) => each(exchange));
    const told = requestVariables(exchange, { scriptName, pathInfo, executable, args }, contentLength);
    for (const each of this.#envs) {
      const [name = "", value = ""] = each(exchange).split(/=(.*)/s);
      told.set(name, value);
    }
    const file = resolve(this.#folder ?? ".", executable);
    return { command: { file, name: executable, args, folder: this.#folder ?? dirname(file) }, told };
  }
}

/**
 * Runs a program for each request and sends its output as the response. Source: RFC 3875; Caddy's plug-in of
 * the same name (aksdb/caddy-cgi v2)
 */
export const cgi = defineModule({
  id: "http.handlers.cgi",
  config: cgiSchema,
  provision: (config, context): HttpHandler => new CgiHandler(config, context),
});
