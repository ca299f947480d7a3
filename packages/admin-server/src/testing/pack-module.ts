import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createRequire, stripTypeScriptTypes } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** A manifest, as far as it is needed. */
interface Manifest {
  readonly name: string;
  readonly license: string;
  readonly description: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** The folder of an installed dependency. */
function folderOf(name: string, source: URL): string {
  const { resolve } = createRequire(new URL("package.json", source));
  let at = dirname(resolve(name));
  while (!at.endsWith(join("node_modules", name))) {
    at = dirname(at);
  }
  return at;
}

/**
 * For tests: makes an npm package of a module's package: JavaScript without types, since Node strips no types below
 * `node_modules`. The server's own packages become peers, which `server add-package` does not install.
 * @param source folder of the package in the tree
 * @param target folder that is made
 * @returns folders of its other dependencies
 */
export async function packModule(source: URL, target: string, version: string): Promise<string[]> {
  const manifest = JSON.parse(await readFile(new URL("package.json", source), "utf8")) as Manifest;
  const files = (await readdir(new URL("src/", source))).filter((name) => /(?<!\.test)\.ts$/.test(name));
  await mkdir(target, { recursive: true });
  for (const name of files) {
    const text = stripTypeScriptTypes(await readFile(new URL(`src/${name}`, source), "utf8"));
    const script = text.replaceAll(/(from\s+"\.\/[\w-]+)\.ts"/g, '$1.js"');
    await writeFile(join(target, name.replace(/\.ts$/, ".js")), script);
  }
  const own = Object.entries(manifest.dependencies).filter(([, range]) => range.startsWith("workspace:"));
  const others = Object.keys(manifest.dependencies).filter((name) => !own.some(([each]) => each === name));
  const folders = others.map((name) => folderOf(name, source));
  const versions = await Promise.all(
    folders.map(async (folder) => {
      const text = await readFile(new URL("package.json", `${pathToFileURL(folder)}/`), "utf8");
      return (JSON.parse(text) as { readonly version: string }).version;
    }),
  );
  const packed = {
    ...{ name: manifest.name, version, license: manifest.license, description: manifest.description },
    ...{ type: "module", exports: "./main.js" },
    dependencies: Object.fromEntries(others.map((name, index) => [name, versions[index] ?? ""])),
    peerDependencies: Object.fromEntries(own.map(([name]) => [name, "*"])),
  };
  await writeFile(join(target, "package.json"), JSON.stringify(packed, undefined, 2));
  return folders.map((folder) => fileURLToPath(pathToFileURL(folder)));
}
