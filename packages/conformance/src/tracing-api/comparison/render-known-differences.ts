import type { KnownDifference } from "./known-differences.ts";

const code = (text: string) => `\`${text.replaceAll("|", "\\|")}\``;

/** The list of known differences as Markdown, for docs/known-differences.md. */
export function renderKnownDifferences(known: readonly KnownDifference[]): string {
  const rows = known.map(
    ({ reason, questions, paths }) =>
      `| ${reason} | ${questions.map(code).join("<br>")} | ${paths.map(code).join("<br>")} |`,
  );
  return `# Known differences to the public model

Where our answers are not those of Jaeger 1.62, and why. All other answers to the questions of the
[comparison](conformance.md) are the same. Made from \`packages/conformance/known-differences.json\` by
\`npm run conformance -- compare --write-docs\`; an entry that matches nothing any more fails the comparison.
Those of the web server to Caddy are on [a page of their own](known-server-differences.md).

| Why | Question, or message sent | Where in the answer |
|---|---|---|
${rows.join("\n")}

\`*\` stands for anything. \`send\` is what the sender of a message is told; the name in brackets after a trace is the
message of the corpus that it came in.
`;
}
