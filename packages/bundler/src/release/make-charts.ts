import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packFolder } from "./pack-folder.ts";

export interface ChartOptions {
  /** Folder whose subfolders are charts. */
  readonly charts: string;
  readonly output: string;
  readonly version: string;
  /** Registry of the published images: the default of `image.registry`. */
  readonly imageRegistry: string | undefined;
}

/** Names in a chart's folder that are not packed: tests and the list of ignored files. */
const left = new Set(["ci", ".helmignore"]);

/**
 * Packs charts as `helm package` does, without Helm: an archive with one folder, the chart.
 * @returns the files
 * @throws Error when a chart has another version
 */
export function makeCharts({ charts, output, version, imageRegistry }: ChartOptions): string[] {
  mkdirSync(output, { recursive: true });
  return readdirSync(charts).map((name) => {
    const text = readFileSync(join(charts, name, "Chart.yaml"), "utf8");
    if (!text.includes(`\nversion: ${version}\nappVersion: ${version}\n`)) {
      throw new Error(`${name}/Chart.yaml: version and appVersion are not ${version}`);
    }
    const work = mkdtempSync(join(tmpdir(), "chart-"));
    try {
      const folder = join(work, name);
      cpSync(join(charts, name), folder, {
        recursive: true,
        filter: (path) => !left.has(path.slice(join(charts, name).length + 1)),
      });
      if (imageRegistry !== undefined) {
        setRegistry(join(folder, "values.yaml"), imageRegistry);
      }
      const file = join(output, `${name}-${version}.tgz`);
      packFolder(work, [name], file);
      return file;
    } finally {
      rmSync(work, { recursive: true });
    }
  });
}

function setRegistry(file: string, registry: string): void {
  const before = readFileSync(file, "utf8");
  const after = before.replace(/^ {2}registry: ""$/m, `  registry: ${JSON.stringify(registry)}`);
  if (after === before) {
    throw new Error(`${file} has no image.registry`);
  }
  writeFileSync(file, after);
}
