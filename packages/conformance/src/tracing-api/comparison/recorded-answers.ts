import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Answers } from "./answers.ts";

const folder = fileURLToPath(new URL("../../../recorded/", import.meta.url));

/** Subject of an answer, which is the name of the file with the recorded answer. */
function subjectOf(question: string): string {
  if (question.startsWith("send ")) {
    return "sending";
  }
  if (question.startsWith("the bytes of ")) {
    return "bytes";
  }
  const [, door, forms] =
    /\((?:\w+ )?(OTLP|PostSpans|Thrift|Zipkin|compact|binary|old binary)\b(.*)\)$/.exec(question) ?? [];
  if (door !== undefined && forms !== undefined) {
    return `traces of ${door === "compact" || door === "binary" || door === "old binary" ? "the agent" : door}`;
  }
  if (question.startsWith("GET /api/traces")) {
    return "searches";
  }
  return question.startsWith("GET /api/") ? "services and operations" : "gRPC and sampling";
}

/** One line for each answer, so that a change of one answer changes one line. */
function linesOf(answers: Answers): string {
  const lines = Object.entries(answers).map(
    ([question, answer]) => `${JSON.stringify(question)}: ${JSON.stringify(answer)}`,
  );
  return `{\n${lines.join(",\n")}\n}\n`;
}

/** Stores the answers of the public model, for machines where it cannot run. */
export function writeRecordedAnswers(answers: Answers): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const bySubject = Object.groupBy(Object.entries(answers), ([question]) => subjectOf(question));
  for (const [subject, entries = []] of Object.entries(bySubject)) {
    writeFileSync(
      `${folder}${subject.replaceAll(" ", "-").toLowerCase()}.json`,
      linesOf(Object.fromEntries(entries)),
    );
  }
}

/** Reads the stored answers of the public model. */
export function readRecordedAnswers(): Answers {
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return Object.assign(
    {},
    ...files.map((name): Answers => JSON.parse(readFileSync(`${folder}${name}`, "utf8")) as Answers),
  ) as Answers;
}
