// npm run sbom: writes dist/sbom.cdx.json (CycloneDX 1.6) and, for people, dist/THIRD_PARTY.md. They list
// every package of the programs, with versions, hashes and licences. pnpm makes the first from its lockfile
// and store.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { storedPackages } from "./native-packages.mjs";
import { prepare, root, run } from "./prepare.mjs";
import { thirdPartyPage } from "./third-party.mjs";

await prepare();
const folder = join(root, "dist");
mkdirSync(folder, { recursive: true });
const file = join(folder, "sbom.cdx.json");
const format = ["--sbom-format", "cyclonedx", "--sbom-spec-version", "1.6", "--sbom-type", "application"];
const isMade = run("pnpm", ["sbom", "--prod", ...format, "--out", file], {
  stdio: ["ignore", "ignore", "inherit"],
});
if (isMade) {
  const { components } = JSON.parse(readFileSync(file, "utf8"));
  const folders = new Map(
    [...storedPackages()].map(({ folder }) => {
      const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      return [`${name}@${version}`, folder];
    }),
  );
  writeFileSync(join(folder, "THIRD_PARTY.md"), thirdPartyPage(components, folders));
}
process.stdout.write(isMade ? "dist/sbom.cdx.json\ndist/THIRD_PARTY.md\n" : "no SBOM was made\n");
process.exit(isMade ? 0 : 1);
