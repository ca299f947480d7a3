// Bundled into every program: nothing but Node may be imported here, and only where it is used.
import type { Script } from "node:vm";
import { keepCompiled } from "./start-program.ts";

/** Loads a file: the modules of a pack by their name ("./name.cjs"), all others as Node does. */
type Require = (name: string) => unknown;

/** The text of a pack: a function that gives the `Require` of the files in it. */
type Pack = (require: Require, file: string, folder: string) => Require;

/** How often a thread is looked at until its start is over, and how many times at most. */
const lookMs = 500;
const maxLooks = 60;
/** A thread has started once its loop was busy for less than this share at each of this many looks. */
const restingShare = 0.1;
const restingLooks = 2;

const newScript = (code: string, options?: ConstructorParameters<typeof Script>[1]): Script =>
  new (process.getBuiltinModule("node:vm").Script)(code, options);

/** The head of V8's compiled code, which tells the version and the options that it was compiled with. */
const compiledHead = () => newScript("0").createCachedData().subarray(0, 32);

/**
 * Makes compiled code look compiled with V8's options of another time. A program sets such options in its start (how large
 * the young heap is), and V8 takes only code that has those of the moment. None of these options changes the code.
 * @param then `compiledHead` of that time
 * @returns false where V8's format is not as known: the code must not be kept
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

/** Keeps compiled code as a whole or not at all. Where the folder cannot be written, each start compiles. */
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
    // the next start tries again
  }
}

/** Calls `keep` once this thread rests after its start, or ends before. */
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

/** Where compiled code is kept; undefined where another program loads the pack, as a build or a test does. */
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
 * Runs a pack: the files that a start loads, as one. Node keeps of a file what V8 compiles when it is loaded, without the
 * functions that are called later. This keeps all that the start called, so the next one compiles nearly nothing. The
 * main thread and the threads of each program call different functions, so each has its own.
 * @param file absolute path
 * @param hash of its text: code that was compiled from another text must not run
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
