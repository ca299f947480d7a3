import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { testedProgram } from "lifecycle/testing";

const root = join(import.meta.dirname, "..", "..", "..", "..");

/** The processes; each name is also the name of a program, a package and an image. */
export const processNames = [
  "admin-server",
  "tracing-agent",
  "tracing-collector",
  "tracing-query",
  "tracing-storage",
];

const dockerfile = readFileSync(join(root, "docker", "Dockerfile"), "utf8");

/** The lines of one image in docker/Dockerfile. @throws Error when there is no such image */
export function dockerStage(target: string): string {
  const start = dockerfile.indexOf(`\nFROM run AS ${target}\n`);
  if (start === -1) {
    throw new Error(`docker/Dockerfile has no image ${target}`);
  }
  const end = dockerfile.indexOf("\nFROM ", start + 1);
  return dockerfile.slice(start, end === -1 ? undefined : end);
}

const environments = new Map<string, (variable: string) => boolean>();

function readEnvironment(name: string): (variable: string) => boolean {
  if (name === "admin-server") {
    return (variable) =>
      /^(OTEL_[A-Z_]+|XDG_(CONFIG|DATA)_HOME|SERVER_ADMIN|SERVER_SKIP_INSTALL_TRUST)$/.test(variable);
  }
  if (name === "example-shop") {
    return (variable) => variable.startsWith("OTEL_");
  }
  const program = testedProgram(join(root, "packages", name, "bin", `${name}.ts`));
  const text = execFileSync(process.execPath, [program, "--help"], { encoding: "utf8", timeout: 60_000 });
  const names = new Set([...text.matchAll(/\[([A-Z][A-Z0-9_]+)\]/g)].map(([, variable]) => variable));
  return (variable) => names.has(variable);
}

/**
 * Returns a function that is true for variables that a process reads, from its own help or the documentation of its
 * libraries.
 */
export function environmentOf(name: string): (variable: string) => boolean {
  const known = environments.get(name) ?? readEnvironment(name);
  environments.set(name, known);
  return known;
}
