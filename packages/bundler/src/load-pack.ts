// This file is bundled into every program. It may import only parts of Node, and each only where the part is used.
import type { Script } from "node:vm";
import { keepCompiled } from "./start-program.ts";

/** Loads a file: modules of a pack by name ("./name.cjs"), all other files with Node's `require`. */
type Require = (name: string) => unknown;

/** The value of a pack's script: a function that returns the `Require` for the files in the pack. */
type Pack = (require: Require, file: string, folder: string) => Require;

/** Milliseconds between two checks of a thread's load during its start, and the limit of checks. */
const lookMs = 500;
const maxLooks = 60;
/**
 * A start is over when the event loop was busy for less than this share of the time in `restingLooks` consecutive
 * checks.
 */
const restingShare = 0.1;
const restingLooks = 2;

const newScript = (code: string, options?: ConstructorParameters<typeof Script>[1]): Script =>
  new (process.getBuiltinModule("node:vm").Script)(code, options);

/** The head of V8's compiled code: it holds the version and the options of the compilation. */
const compiledHead = () => newScript("0").createCachedData().subarray(0, 32);

/**
 * Replaces the head of compiled code by an earlier head, so that V8 accepts the code. A program sets V8 options during
 * its start, such as the size of the young heap, and V8 accepts only code compiled with the present options. None of
 * these options changes the code.
 * @param then the earlier `compiledHead`
 * @returns false when V8's format is unknown: then the code must not be kept
 */
function backdate(compiled: Buffer, then: Buffer): boolean {
  const now = compiledHead();
  const words = Array.from({ length: now.length / 4 }, (_, index) => index * 4);
  const other = words.filter((at) => now.readInt32LE(at) !== then.readInt32LE(at));
  if (other.length > 1 || other.some((at) => compiled.readInt32LE(at) !== now.readInt32LE(at))) {
    return false;
  }
  for (const at of other) {
    compiled.writeInt32LE(then.readInt32LE(at), at);
  }
  return true;
}

/** Writes compiled code atomically. If the folder is not writable, each start compiles. */
function keepWhole(file: string, compile: () => Buffer | undefined): void {
  const { accessSync, constants, mkdirSync, renameSync, writeFileSync } = process.getBuiltinModule("node:fs");
  const folder = process.getBuiltinModule("node:path").dirname(file);
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    const compiled = compile();
    if (compiled !== undefined) {
      const beside = `${file}.${process.pid}.${process.hrtime.bigint()}`;
      writeFileSync(beside, compiled, { flush: true, mode: 0o600 });
      renameSync(beside, file);
    }
  } catch {
    // The next start tries again.
  }
}

/** Calls `keep` once: when this thread is idle after its start, after 30 seconds, or when the thread ends. */
function whenStarted(keep: () => void): void {
  const { performance } = process.getBuiltinModule("node:perf_hooks");
  let before = performance.eventLoopUtilization();
  let looks = 0;
  let resting = 0;
  const timer = setInterval(() => {
    const { utilization } = performance.eventLoopUtilization(before);
    before = performance.eventLoopUtilization();
    resting = utilization < restingShare ? resting + 1 : 0;
    looks++;
    if (resting === restingLooks || looks === maxLooks) {
      end();
    }
  }, lookMs);
  timer.unref();
  const end = () => {
    clearInterval(timer);
    process.off("exit", end);
    keep();
  };
  process.on("exit", end);
}

function readIfThere(file: string): Buffer<ArrayBuffer> | undefined {
  try {
    return process.getBuiltinModule("node:fs").readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Path for the compiled code; undefined when another program loads the pack, such as a build or a test. */
function placeFor(file: string, hash: string, program: string | undefined): string | undefined {
  const { dirname, basename } = process.getBuiltinModule("node:path");
  const folder = dirname(file);
  if (program === undefined || dirname(program) !== folder) {
    return undefined;
  }
  keepCompiled(folder);
  const { version, arch } = process;
  const tag = process.getBuiltinModule("node:v8").cachedDataVersionTag().toString(16);
  const name = [basename(file, ".cjs"), hash, version, arch, tag, basename(program, ".cjs")].join("-");
  return `${folder}/.compile-cache/${name}`;
}

/**
 * Runs a pack: all files that a start loads, joined into one.
 *
 * Node's own compile cache keeps the code that V8 compiled while a file loaded, without functions that run later. A
 * pack keeps all functions that the start called, so the next start compiles almost nothing. Each program and each
 * kind of thread has separate compiled code, because each calls different functions.
 * @param file absolute path
 * @param hash hash of the text, because code compiled from another text must not run
 */
export function loadPack(file: string, hash: string, require: NodeJS.Require): Require {
  const folder = process.getBuiltinModule("node:path").dirname(file);
  if (process.getBuiltinModule("node:sea").isSea()) {
    return (require(file) as Pack)(require, file, folder);
  }
  const { readFileSync } = process.getBuiltinModule("node:fs");
  const keptFile = placeFor(file, hash, require.main?.filename);
  const cachedData = keptFile === undefined ? undefined : readIfThere(keptFile);
  const script = newScript(readFileSync(file, "latin1"), {
    filename: file,
    ...(cachedData === undefined ? {} : { cachedData }),
    importModuleDynamically: process.getBuiltinModule("node:vm").constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  if (cachedData?.byteLength === cachedData?.buffer.byteLength) {
    cachedData?.buffer.transfer(0); // megabytes, which would stay until V8 collects garbage
  }
  if (keptFile !== undefined && (cachedData === undefined || script.cachedDataRejected === true)) {
    const then = compiledHead();
    const compile = () => {
      const compiled = script.createCachedData();
      return backdate(compiled, then) ? compiled : undefined;
    };
    whenStarted(() => keepWhole(keptFile, compile));
  }
  return (script.runInThisContext() as Pack)(require, file, folder);
}
