import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../", import.meta.url));
const packagesFolder = join(root, "packages");
/** Packages whose README may not go. */
const described = [
  "admin-server",
  "admin-ui",
  "assistant-tools",
  "bundler",
  "certificates",
  "conformance",
  "container-labels",
  "docs-site",
  "http-engine",
  "http-protocols",
  "kubernetes-controller",
  "launcher",
  "layer4",
  "lifecycle",
  "server-core",
  "server-modules",
  "serverfile",
  "storage",
  "trace-store",
  "traceql",
  "tracing-agent",
  "tracing-cli",
  "tracing-collector",
  "tracing-query",
  "tracing-storage",
  "tracing-ui",
  "ui-kit",
  "wire",
];
const packages = readdirSync(packagesFolder).filter((name) =>
  existsSync(join(packagesFolder, name, "package.json")),
);
const withReadme = packages.filter((name) => existsSync(join(packagesFolder, name, "README.md")));
const linesOfScreen = 80;

const readmeOf = (name: string) => readFileSync(join(packagesFolder, name, "README.md"), "utf8");
const textsInCode = (text: string) => [...text.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code as string);

/** `src/x.ts`, `idl/`, `storage/src/y.ts`; no option, no URL, no name that a package exports. */
function isPath(code: string): boolean {
  return /^(?:[\w.-]+\/)+[\w.-]*$/.test(code) && !/^(?:wire|storage)\/[\w-]+$/.test(code);
}

function isThere(name: string, path: string): boolean {
  return [join(packagesFolder, name), root, packagesFolder].some((folder) => existsSync(join(folder, path)));
}

/** `wire/rows` of package.json's `exports`. */
function isExported(code: string): boolean {
  const [name = "", ...rest] = code.split("/");
  if (!packages.includes(name)) {
    return true;
  }
  const manifest = JSON.parse(readFileSync(join(packagesFolder, name, "package.json"), "utf8"));
  return Object.hasOwn(manifest.exports ?? {}, `./${rest.join("/")}`);
}

test("the packages of both services have a README", () => {
  expect(withReadme).toEqual(expect.arrayContaining(described));
});

test.each(withReadme)("every path in packages/%s/README.md exists", (name) => {
  const codes = textsInCode(readmeOf(name));
  expect(codes.filter((code) => isPath(code) && !isThere(name, code))).toEqual([]);
  expect(codes.filter((code) => /^(?:wire|storage)\/[\w-]+$/.test(code) && !isExported(code))).toEqual([]);
});

describe.each(described)("packages/%s/README.md", (name) => {
  const text = readmeOf(name);

  test("names the packages that it imports, as package.json does", () => {
    const [, section = ""] = /## May import\n+([^\n]*)/.exec(text) ?? [];
    const [allowed = ""] = section.split(". ");
    const named = textsInCode(allowed).sort();
    const { dependencies = {} } = JSON.parse(
      readFileSync(join(packagesFolder, name, "package.json"), "utf8"),
    );
    expect(named).toEqual(packages.filter((one) => Object.hasOwn(dependencies, one)).sort());
  });

  test("fits a screen, and says the way by file names", () => {
    expect(text.split("\n").length).toBeLessThanOrEqual(linesOfScreen);
    const steps = text.match(/^\d+\. .*$/gm) ?? [];
    expect(steps.length).toBeGreaterThanOrEqual(3);
    expect(steps.filter((step) => /`[^`]+\.ts`/.test(step)).length).toBeGreaterThanOrEqual(2);
  });
});
