import { open } from "node:fs/promises";
import { Counter, Gauge, type Registry } from "@prometheus-io/client";
import type { Logger } from "lifecycle";
import { StartError } from "lifecycle/errors";
import type { Access, AccessCheck, AccessProblem, AskedAccess, Need } from "./access.ts";
import { parseAccess } from "./access-file.ts";
import { AccessRules } from "./access-rules.ts";

/** Maximum number of bytes of the file. */
const maxFileBytes = 1024 * 1024;
const reloadMs = 10_000;

/** The rules of access. Their file is read again every ten seconds, and a change takes effect without a restart. */
export class OpenAccess implements AccessCheck {
  readonly #path: string;
  readonly #log: Logger;
  readonly #refused: Counter<"status">;
  readonly #upToDate: Gauge;
  #text = "";
  #rules = new AccessRules(parseAccess("{}"));
  #timer: NodeJS.Timeout | undefined;

  private constructor(path: string, log: Logger, metrics: Registry) {
    this.#path = path;
    this.#log = log;
    this.#refused = new Counter({
      name: "tracing_query_access_refused_total",
      help: "Requests that the file of access refused.",
      labelNames: ["status"],
      registers: [metrics],
    });
    this.#upToDate = new Gauge({
      name: "tracing_query_access_file_up_to_date",
      help: "1 when the rules of the file of access are in use, 0 while the file has a mistake.",
      registers: [metrics],
    });
    for (const status of ["401", "403"]) {
      this.#refused.inc({ status }, 0);
    }
  }

  /** @throws StartError for a file that cannot be read, or has a mistake */
  static async open(path: string, log: Logger, metrics: Registry): Promise<OpenAccess> {
    const access = new OpenAccess(path, log, metrics);
    try {
      access.#use(await textOf(path));
    } catch (error) {
      throw new StartError(`option --query.access-file: ${path}: ${(error as Error).message}`, {
        cause: error,
      });
    }
    access.#timer = setInterval(() => access.look(), reloadMs);
    access.#timer.unref();
    return access;
  }

  check(asked: AskedAccess, need: Need | undefined): Access | AccessProblem {
    return this.#counted(this.#rules.check(asked, need));
  }

  checkRoute(asked: AskedAccess, method: string, path: string): Access | AccessProblem {
    return this.#counted(this.#rules.checkRoute(asked, method, path));
  }

  #counted(found: Access | AccessProblem): Access | AccessProblem {
    if ("status" in found) {
      this.#refused.inc({ status: String(found.status) });
    }
    return found;
  }

  /** Reads the file again. A mistake leaves the rules as they were. */
  async look(): Promise<void> {
    try {
      const text = await textOf(this.#path);
      if (text !== this.#text) {
        this.#use(text);
        this.#log.info({ path: this.#path }, "rules of access read again");
      }
      this.#upToDate.set(1);
    } catch (error) {
      this.#upToDate.set(0);
      this.#log.error(`rules of access stay as they were: ${this.#path}: ${(error as Error).message}`);
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #use(text: string): void {
    this.#rules = new AccessRules(parseAccess(text));
    this.#text = text;
    this.#upToDate.set(1);
  }
}

/** Reads until the end of the file, because the file may grow between a check of its size and the read. */
async function textOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const buffer = Buffer.alloc(maxFileBytes + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length);
      length += bytesRead;
      if (length > maxFileBytes) {
        throw new Error(`is over the limit of ${maxFileBytes} bytes`);
      }
      if (bytesRead === 0) {
        return buffer.toString("utf8", 0, length);
      }
    }
  } finally {
    await file.close();
  }
}
