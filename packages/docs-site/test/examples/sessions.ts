// Defines which examples run together. A session has its own network, and its pages run one after the other.

import { codeBlocks } from "./code-blocks.ts";
import { notRun } from "./not-run.ts";
import { commandsOf, programLacking, type Step } from "./page-script.ts";

/** Pages whose examples are run in one network. */
export interface Session {
  readonly name: string;
  /** Options of `npm start` if the pages need it running; undefined if the pages start their own programs. */
  readonly npmStart?: readonly string[];
  readonly pages: readonly string[];
}

export const sessions: readonly Session[] = [
  {
    name: "while npm start -- --demo runs",
    npmStart: ["--demo"],
    pages: [
      "README.md",
      "quick-start.md",
      "first-span.md",
      "query.md",
      "tracing-command.md",
      "grafana.md",
      "observability.md",
    ],
  },
  {
    name: "while npm start runs",
    npmStart: [],
    pages: [
      "admin-api.md",
      "console.md",
      "processes.md",
      "processes/tracing-collector.md",
      "handlers.md",
      "reverse-proxy.md",
      "processes/tracing-storage.md",
    ],
  },
  {
    name: "with the programs of the page",
    pages: [
      "https.md",
      "events.md",
      "command-line.md",
      "serverfile.md",
      "sampling.md",
      "tail-sampling.md",
      "privacy.md",
      "quotas.md",
      "deletion.md",
      "access.md",
      "security.md",
      "collector-fleet.md",
      "migration-caddy.md",
      "migration-jaeger.md",
      "migration-tempo.md",
    ],
  },
];

/** Finds the parts of a page that the test runs. */
export function stepsOf(page: string): Step[] {
  return codeBlocks
    .filter((block) => block.page === page && (block.language === "sh" || block.title !== undefined))
    .flatMap((block): Step[] => {
      const entries = notRun.filter((entry) => entry.page === page);
      if (entries.some(({ block: begins }) => begins !== undefined && block.code.startsWith(begins))) {
        return [];
      }
      if (block.title !== undefined) {
        const file = `mkdir -p "$(dirname '${block.title}')"; cat >'${block.title}' <<'END OF THE FILE'\n${block.code}\nEND OF THE FILE`;
        return [{ block: { ...block, words: [] }, code: file }];
      }
      const leftOut = entries.flatMap(({ command }) => (command === undefined ? [] : [command]));
      const code = leftOut.some((command) => block.code.includes(command))
        ? commandsOf(block.code)
            .filter((each) => !leftOut.some((command) => each.startsWith(command)))
            .join("\n")
        : block.code;
      const lacks = programLacking(code);
      return [{ block, code, ...(lacks === undefined ? {} : { lacks }) }];
    });
}
