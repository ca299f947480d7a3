// Texts for every copy of the programs: names, versions and licences of their packages, and the texts of
// these licences, which most of them require.
//
//   node scripts/third-party.mjs sbom.cdx.json THIRD_PARTY.md    makes the second of the first

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { storedPackages } from "./native-packages.mjs";

const fullName = ({ group, name }) => (group === undefined ? name : `${group}/${name}`);

function row(component) {
  const said = (component.licenses ?? []).map(
    ({ license, expression }) => expression ?? license?.id ?? license?.name,
  );
  return `| ${fullName(component)} | ${component.version} | ${said.join(", ")} |`;
}

/** The texts of licences and notices in a package's folder. */
function textsIn(folder) {
  return readdirSync(folder)
    .filter((file) =>
      /^(?:licen[cs]e|copying|notice)(?:[.-](?:md|txt|markdown|mit|apache|apache2|apache-2\.0|bsd|isc)(?:\.(?:md|txt))?)?$/i.test(
        file,
      ),
    )
    .sort()
    .map((file) => readFileSync(join(folder, file), "utf8").trim());
}

/**
 * @param components of a CycloneDX document
 * @param folders of the packages, by name and version: "express@5.3.0"
 */
export function thirdPartyPage(components, folders) {
  const namesByText = new Map();
  for (const component of components) {
    const name = `${fullName(component)}@${component.version}`;
    const folder = folders.get(name);
    for (const text of folder === undefined ? [] : textsIn(folder)) {
      namesByText.set(text, [...(namesByText.get(text) ?? []), name]);
    }
  }
  const texts = [...namesByText].map(
    ([text, names]) => `## ${names.sort().join(", ")}\n\n\`\`\`text\n${text}\n\`\`\`\n`,
  );
  return [
    "# What the programs are made of\n",
    "| Package | Version | Licence |\n|---|---|---|",
    `${components.map(row).sort().join("\n")}\n`,
    "# Their licences\n",
    ...texts.sort(),
  ].join("\n");
}

/**
 * Writes the page of a CycloneDX document, with the texts of licences that are in node_modules.
 * @param sbom path of the document
 */
export function writeThirdParty(sbom, output) {
  const { components } = JSON.parse(readFileSync(sbom, "utf8"));
  const folders = new Map(
    [...storedPackages()].map(({ folder }) => {
      const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      return [`${name}@${version}`, folder];
    }),
  );
  writeFileSync(output, thirdPartyPage(components, folders));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeThirdParty(process.argv[2], process.argv[3]);
}
