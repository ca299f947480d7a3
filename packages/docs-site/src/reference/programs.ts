import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { get } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { testedProgram } from "lifecycle/testing";

const packages = join(import.meta.dirname, "..", "..", "..");

/** The environment of the programs, without option variables of this machine. */
function environment(own: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  return { PATH, HOME, NODE_COMPILE_CACHE, LOG_ENCODING: "json", SERVER_SKIP_INSTALL_TRUST: "1", ...own };
}

/** Path of the program of a process. */
export function programOf(name: string): string {
  return testedProgram(join(packages, name, "bin", `${name === "admin-server" ? "server" : name}.ts`));
}

/** Runs a program to its end. @returns the output. @throws Error when the program fails, or after a minute */
export async function printedBy(name: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [programOf(name), ...args], {
    env: environment({}),
    maxBuffer: 64 * 1024 * 1024,
    timeout: 60_000,
  });
  return stdout;
}

/** Timeout in milliseconds for the first answer of a process, enough for a busy machine. */
const startTimeoutMs = 60_000;

/**
 * Runs a process during a callback, then stops it.
 * @param healthUrl address that answers 200 when the process runs
 * @throws Error with the log of the process when the process ends by itself or does not answer in a minute
 */
export async function whileRunning<T>(
  name: string,
  args: readonly string[],
  options: { readonly healthUrl: string; readonly environment?: Readonly<Record<string, string>> },
  ask: () => Promise<T>,
): Promise<T> {
  const child = spawn(process.execPath, [programOf(name), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: environment(options.environment ?? {}),
  });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      log += chunk.toString();
    });
  }
  const ended = once(child, "exit");
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  try {
    const deadline = Date.now() + startTimeoutMs;
    for (;;) {
      const isUp = await answerOf(options.healthUrl).then(
        () => true,
        () => false,
      );
      if (isUp) {
        break;
      }
      if (!isRunning() || Date.now() > deadline) {
        throw new Error(`${name} ${isRunning() ? "does not answer" : "ended"}:\n${log}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return await ask();
  } finally {
    if (isRunning()) {
      child.kill("SIGTERM");
    }
    await ended;
  }
}

/**
 * A running process's answer to GET. The function uses node:http, because `fetch` identifies itself as a browser, which
 * the admin API refuses. @throws Error for another status than 200
 */
export function answerOf(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false }, async (response) => {
      const body = await text(response);
      if (response.statusCode === 200) {
        resolve(body);
      } else {
        reject(new Error(`${url}: ${response.statusCode} ${body}`));
      }
    });
    request.on("error", reject);
  });
}
