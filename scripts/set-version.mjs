// npm run set-version: carries the version of the root's package.json to every place that has it.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const defaultRoot = fileURLToPath(new URL("..", import.meta.url));
const inManifest = /(?<=^ {2}"version": ")[^"]+(?=",$)/m;

/** Every place with the version, below the root, and its form there. */
function placesOf(root) {
  const manifests = ["packages", "examples"].flatMap((parent) =>
    readdirSync(join(root, parent))
      .map((name) => `${parent}/${name}/package.json`)
      .filter((file) => existsSync(join(root, file))),
  );
  const charts = readdirSync(join(root, "deploy", "helm")).map((name) => `deploy/helm/${name}/Chart.yaml`);
  const inPackages = /(?<=\.\/(?:admin-server|tracing-[a-z]+)-)\d[\w.-]*(?=\.tgz)/g;
  return [
    ...manifests.map((file) => [file, inManifest]),
    ...charts.map((file) => [file, /(?<=^(?:version|appVersion): ).+$/gm]),
    ["deploy/kubernetes/kustomization.yaml", /(?<=newTag: )[^ }]+/g],
    ["docs/kubernetes.md", /(?<=newTag: )[^ }]+/g],
    ["docs/release.md", inPackages],
    ["docs/systemd.md", inPackages],
    ["README.md", /(?<=^Version )\S+/gm],
  ];
}

/** @returns the version of the repository, and where another one stands, by file */
export function otherVersions(root = defaultRoot) {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const others = placesOf(root).flatMap(([file, pattern]) => {
    const found = readFileSync(join(root, file), "utf8").match(pattern) ?? ["none"];
    return [...found].filter((each) => each !== version).map((each) => `${file}: ${each}`);
  });
  return { version, others };
}

/** Carries the version everywhere. @returns the files that it changed */
export function setVersion(root = defaultRoot) {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return placesOf(root).flatMap(([file, pattern]) => {
    const before = readFileSync(join(root, file), "utf8");
    const after = before.replace(pattern, version);
    if (after === before) {
      return [];
    }
    writeFileSync(join(root, file), after);
    return [file];
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const file of setVersion()) {
    process.stdout.write(`${file}\n`);
  }
}
