import { type ChildProcess, spawn } from "node:child_process";
import type { FileHandle } from "node:fs/promises";
import { Readable } from "node:stream";
import { contain } from "http-engine/body/contained-stream";
import { StreamReading, type StreamTaker } from "http-engine/body/stream-reading";
import type { Exchange } from "http-engine/exchange";
import { getHeader } from "http-engine/header-list";
import { HttpError } from "http-engine/http-error";
import type { Logger } from "lifecycle";
import { messageOf, ServerError } from "server-core/errors";
import { keepEndToEnd } from "../reverse-proxy/proxy-headers.ts";
import { BodyWriter } from "../reverse-proxy/transport/body-writer.ts";
import { type CgiHead, cgiHeadEnd, parseCgiHead } from "../reverse-proxy/transport/fastcgi/cgi-head.ts";
import { groupOptions, type ProcessGroups } from "./process-group.ts";
import type { ScriptInput } from "./script-input.ts";

/**
 * Maximum number of bytes of the script's head. A longer head fails the run, so that a program cannot fill the memory.
 */
const maxHeadBytes = 64 * 1024;
/** Maximum number of bytes of error output that are logged. Further output is read and dropped. */
const maxStderrBytes = 64 * 1024;
/**
 * Milliseconds after the program's exit for which output is still awaited: a child process may keep the output open.
 */
const lateOutputMs = 2_000;

/** Command, folder and environment of a program. */
export interface ScriptCommand {
  /** Absolute path of the program. */
  readonly file: string;
  /** The program's name as the program sees it (argv[0]). */
  readonly name: string;
  /** Arguments after the name. */
  readonly args: readonly string[];
  /** Working folder of the program. */
  readonly folder: string;
  /** Complete environment: nothing is inherited from the server. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Settings that all runs of one handler share. */
export interface ScriptSettings {
  /** The running programs of the handler, including this one. */
  readonly groups: ProcessGroups;
  readonly log: Logger;
  /** True when each piece of the output is flushed. */
  readonly flushes: boolean;
  /** Milliseconds of a whole run; 0: no limit. A script that runs longer is stopped. */
  readonly timeoutMs: number;
  /** Milliseconds without a byte from or to the program; 0 for no limit. */
  readonly idleMs: number;
}

/** The HTTP error for a program that could not be started. Source: execve(2) */
function startError(error: unknown, file: string): HttpError {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  if (code === "E2BIG") {
    return new HttpError(431, "the request is too large for the environment of a program", { cause: error });
  }
  const passes = ["EAGAIN", "ENOMEM", "EMFILE", "ENFILE"].includes(code);
  return new HttpError(passes ? 503 : 500, `cannot start ${file}: ${code || messageOf(error)}`, {
    cause: error,
  });
}

/**
 * Parses the head that a program prints. A line without a colon is skipped.
 * @throws Error with the reason
 * Source: RFC 3875, section 6.2; Go, net/http/cgi
 */
function readHead(text: string): CgiHead {
  const lines = text.split(/\r?\n/).filter((line) => line.includes(":") || /^[ \t]/.test(line));
  const head = parseCgiHead(lines.join("\n"));
  const isNamed = ["content-type", "location"].some((name) => getHeader(head.headers, name) !== undefined);
  if (!isNamed && !lines.some((line) => /^status:/i.test(line))) {
    throw new Error("the response has neither Content-Type nor Location nor Status");
  }
  return head;
}

/**
 * Runs one program for one request, with back pressure in both directions.
 * | Event | Response |
 * |---|---|
 * | the head is complete | status and header fields are sent |
 * | output | body, at most the declared length |
 * | the output ended, with any exit code | the response ends; a code other than 0 is logged |
 * | ended by a signal | the response is cut off |
 * | no head | 500 |
 * | a time limit is exceeded | 504; after the head, the response is cut off |
 * | the client leaves | the program is ended |
 */
export class ScriptRun implements StreamTaker {
  readonly #exchange: Exchange;
  readonly #settings: ScriptSettings;
  readonly #command: ScriptCommand;
  /** Settles when the response has ended or failed. */
  readonly #finished = Promise.withResolvers<void>();
  /** The program; undefined before the start. */
  #child: ChildProcess | undefined;
  /** Reads the program's output. */
  #reading: StreamReading | undefined;
  /** Writes the program's input. */
  #writer: BodyWriter | undefined;
  /** Bytes of the head received until now. */
  #head: Buffer = Buffer.alloc(0);
  /** True once the head was sent to the client. */
  #headDone = false;
  /** Remaining bytes of the declared length. Programs that miscount print more; the surplus is dropped. */
  #left = Number.POSITIVE_INFINITY;
  /** True when the output has ended. A child of the program may keep the output open after the exit. */
  #outputEnded = false;
  /** How the program ended; undefined while it runs. */
  #exit: { readonly code: number | null; readonly signal: NodeJS.Signals | null } | undefined;
  /** True once the run's promise has settled; later events are ignored. */
  #settled = false;
  /** True while the client accepts no more data. This time does not count as idle. */
  #clientWaits = false;
  /** Timers of all limits of this run. */
  #timers: NodeJS.Timeout[] = [];
  /** Timer of the idle limit; every byte restarts the timer. */
  #idle: NodeJS.Timeout | undefined;

  constructor(exchange: Exchange, command: ScriptCommand, settings: ScriptSettings) {
    this.#exchange = exchange;
    this.#command = command;
    this.#settings = settings;
  }

  /** Runs the program. @throws HttpError 500, 503 or 504 when there is no response; ServerError CLIENT_GONE */
  run(input: ScriptInput): Promise<void> {
    let child: ChildProcess;
    try {
      child = this.#spawn(input);
    } catch (error) {
      throw startError(error, this.#command.file);
    }
    this.#child = child;
    this.#settings.groups.add(child);
    child.once("error", (error) => this.#fail(startError(error, this.#command.file)));
    child.once("exit", (code, signal) => this.#exited(code, signal));
    if (child.stdout !== null) {
      this.#reading = new StreamReading(child.stdout, this);
    }
    this.#readStderr(child.stderr);
    this.#send(input.source);
    this.#startClocks();
    this.#exchange.onEnd(() => {
      this.#fail(new ServerError("CLIENT_GONE", "the client closed the connection"));
    });
    return this.#finished.promise;
  }

  /** Starts the program. A body in a file becomes the standard input directly. */
  #spawn(input: ScriptInput): ChildProcess {
    const { file, name, args, folder, environment } = this.#command;
    const { source } = input;
    const isFile = source !== undefined && !(source instanceof Readable) && !Buffer.isBuffer(source);
    const stdin = source === undefined ? "ignore" : isFile ? source.fd : "pipe";
    return spawn(file, [...args], {
      ...groupOptions,
      argv0: name,
      cwd: folder,
      env: { ...environment },
      stdio: [stdin, "pipe", "pipe"],
    });
  }

  /** Writes the body to the program. A program that ignores its input can still answer. */
  #send(source: ScriptInput["source"]): void {
    const stdin = this.#child?.stdin;
    if (!stdin || source === undefined) {
      return;
    }
    contain(stdin); // A program that does not read its input causes write errors, which are ignored.
    if (Buffer.isBuffer(source)) {
      stdin.end(source);
      return;
    }
    let resume: (() => void) | undefined;
    const drained = () => resume?.();
    stdin.on("drain", drained);
    stdin.on("close", drained); // the program accepts no more input: the remaining body is read and dropped
    const sink = {
      write: (chunk: Buffer) => {
        this.#idle?.refresh();
        return stdin.destroyed || stdin.write(chunk);
      },
      onceDrain: (callback: () => void) => {
        resume = callback;
      },
    };
    this.#writer = new BodyWriter(source as Readable, sink, (error) => {
      if (error === undefined) {
        stdin.end();
      } else {
        this.#fail(error);
      }
    });
  }

  /** Collects error output and logs it in one piece. */
  #readStderr(stderr: Readable | null): void {
    if (stderr === null) {
      return;
    }
    const decoder = new TextDecoder();
    let text = "";
    const tell = () => {
      if (text.trim() !== "") {
        this.#settings.log.error(`${this.#command.name} wrote to its standard error: ${text.trim()}`);
      }
    };
    new StreamReading(stderr, {
      data: (chunk) => {
        if (text.length < maxStderrBytes) {
          text += decoder.decode(chunk, { stream: true }).slice(0, maxStderrBytes);
        }
        return true; // more is dropped: a full pipe would stop the program
      },
      end: tell,
      failed: tell,
    });
  }

  /** Starts the timers of the configured limits. */
  #startClocks(): void {
    const { timeoutMs, idleMs } = this.#settings;
    if (timeoutMs > 0) {
      this.#timers.push(setTimeout(() => this.#overdue(`it ran for ${timeoutMs} ms`), timeoutMs));
    }
    if (idleMs > 0) {
      this.#idle = setTimeout(() => {
        if (this.#clientWaits) {
          this.#idle?.refresh();
        } else {
          this.#overdue(`it neither printed nor read anything for ${idleMs} ms`);
        }
      }, idleMs);
      this.#timers.push(this.#idle);
    }
  }

  #overdue(reason: string): void {
    this.#fail(new HttpError(504, `${this.#command.name} was ended: ${reason}`));
  }

  // Called by the reading of the output

  data(chunk: Buffer): boolean {
    this.#idle?.refresh();
    if (this.#settled) {
      return true;
    }
    if (this.#headDone) {
      return this.#handOn(chunk);
    }
    this.#head = Buffer.concat([this.#head, chunk]);
    const found = cgiHeadEnd(this.#head);
    if ((found?.end ?? this.#head.length) > maxHeadBytes) {
      throw new HttpError(500, `the head of the response is longer than the limit of ${maxHeadBytes} bytes`);
    }
    if (found === undefined) {
      return true;
    }
    const rest = this.#head.subarray(found.body);
    this.#begin(this.#head.toString("latin1", 0, found.end));
    this.#head = Buffer.alloc(0);
    return rest.length === 0 || this.#handOn(rest);
  }

  end(): void {
    this.#outputEnded = true;
    this.#finishWhenOver();
  }

  failed(error: Error): void {
    this.#fail(error);
  }

  /** Reads the head and begins the response. */
  #begin(text: string): void {
    let head: CgiHead;
    try {
      head = readHead(text);
    } catch (error) {
      throw new HttpError(500, `${this.#command.name}: ${messageOf(error)}`);
    }
    const { responseHeaders } = this.#exchange;
    responseHeaders.push(...keepEndToEnd(head.headers));
    this.#left = head.length ?? Number.POSITIVE_INFINITY;
    this.#headDone = true;
    if (getHeader(head.headers, "content-type") === undefined) {
      this.#exchange.tellType();
    }
    this.#exchange.writeHead(head.status);
    if (this.#settings.flushes) {
      this.#exchange.flush();
    }
  }

  /** Sends output to the client. A slow client pauses the program. */
  #handOn(bytes: Buffer): boolean {
    const chunk = bytes.length > this.#left ? bytes.subarray(0, this.#left) : bytes;
    this.#left -= chunk.length;
    if (chunk.length === 0) {
      return true;
    }
    const more = this.#exchange.write(chunk);
    if (this.#settings.flushes) {
      this.#exchange.flush();
    }
    if (!more) {
      this.#clientWaits = true;
      this.#exchange.onceDrain(() => {
        this.#clientWaits = false;
        this.#idle?.refresh();
        this.#reading?.resume();
      });
    }
    return more;
  }

  // The end

  /** Called when the program has exited. Output of its children is accepted until 2 s pass without any. */
  #exited(code: number | null, signal: NodeJS.Signals | null): void {
    this.#exit = { code, signal };
    if (!this.#outputEnded && !this.#settled) {
      clearTimeout(this.#idle);
      // Each byte of output restarts this limit for remaining child processes.
      this.#idle = setTimeout(() => {
        if (this.#clientWaits) {
          this.#idle?.refresh();
        } else {
          this.#outputEnded = true;
          this.#finishWhenOver();
        }
      }, lateOutputMs);
      this.#timers.push(this.#idle);
    }
    this.#finishWhenOver();
  }

  /** Ends the response after both the exit and the end of output. */
  #finishWhenOver(): void {
    if (this.#settled || !this.#outputEnded || this.#exit === undefined) {
      return;
    }
    const { code, signal } = this.#exit;
    const how = signal === null ? `exited with ${code}` : `was ended by ${signal}`;
    if (!this.#headDone) {
      this.#fail(
        new HttpError(500, `${this.#command.name} ${how} before the head of its response was complete`),
      );
      return;
    }
    if (signal !== null) {
      this.#fail(new Error(`${this.#command.name} ${how}`)); // the output is incomplete
      return;
    }
    if (code !== 0) {
      this.#settings.log.warn(`${this.#command.name} ${how}`);
    }
    this.#settle();
    try {
      this.#exchange.finish();
      this.#finished.resolve();
    } catch (error) {
      this.#finished.reject(error);
    }
  }

  #fail(error: Error): void {
    if (this.#settled) {
      return;
    }
    this.#settle();
    this.#finished.reject(error);
  }

  /** Releases all resources, and ends a program that still runs. */
  #settle(): void {
    this.#settled = true;
    for (const timer of this.#timers) {
      clearTimeout(timer);
    }
    this.#writer?.stop();
    this.#reading?.stop();
    const child = this.#child;
    if (child !== undefined) {
      if (this.#exit === undefined || child.stdout?.readableEnded === false) {
        void this.#settings.groups.end(child);
      }
      child.stdin?.destroy();
      child.stdout?.destroy();
    }
  }
}

/** Closes the server's descriptor of the body file. The program has its own descriptor. */
export async function closeInput({ source }: ScriptInput): Promise<void> {
  if (source !== undefined && !(source instanceof Readable) && !Buffer.isBuffer(source)) {
    await (source as FileHandle).close();
  }
}
