import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

/** The result that wrk printed. */
export interface WrkResult {
  readonly requestsPerSecond: number;
  readonly requests: number;
  /** Number of refused, reset, cut and timed-out connections, and of answers other than 2xx and 3xx. */
  readonly failed: number;
}

export interface WrkLoad {
  readonly url: string;
  readonly headers: readonly string[];
  readonly connections: number;
  readonly seconds: number;
}

const number = (output: string, pattern: RegExp): number => Number(pattern.exec(output)?.[1] ?? 0);

/** Runs wrk. @throws Error when it is not installed or fails */
export async function runWrk({ url, headers, connections, seconds }: WrkLoad): Promise<WrkResult> {
  const args = [
    "-t2",
    `-c${connections}`,
    `-d${seconds}s`,
    ...headers.flatMap((header) => ["-H", header]),
    url,
  ];
  const child = spawn("wrk", args, { stdio: ["ignore", "pipe", "pipe"] });
  const [output, complaint, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close") as Promise<[number | null]>,
  ]);
  if (code !== 0) {
    throw new Error(`wrk ended with ${code}: ${complaint}`);
  }
  return readWrkOutput(output);
}

/** @param output the text that wrk prints at its end */
export function readWrkOutput(output: string): WrkResult {
  const socketErrors = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(output);
  const failed = (socketErrors?.slice(1) ?? []).reduce((sum, count) => sum + Number(count), 0);
  return {
    requestsPerSecond: number(output, /Requests\/sec:\s+([\d.]+)/),
    requests: number(output, /(\d+) requests in/),
    failed: failed + number(output, /Non-2xx or 3xx responses: (\d+)/),
  };
}
