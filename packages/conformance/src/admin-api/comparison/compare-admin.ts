import type { Difference } from "../../tracing-api/comparison/answers.ts";
import { adminQuestions } from "./admin-questions.ts";
import { type AdminQuestion, type AdminReply, sendAdminRequest } from "./admin-request.ts";
import { AdminServerProcess } from "./admin-server-process.ts";

/** Compared parts of an answer, by name. */
type Facts = Readonly<Record<string, string | undefined>>;

const comparedHeaders = [
  "content-type",
  "etag",
  "location",
  "allow",
  "x-content-type-options",
  "access-control-allow-origin",
  "access-control-allow-methods",
  "access-control-allow-headers",
  "access-control-allow-credentials",
];

/** The port is replaced, because it differs between the two programs. */
function withoutPort(text: string | undefined, port: number): string | undefined {
  return text?.replaceAll(`:${port}`, ":PORT");
}

function factsOf(answer: AdminReply, after: AdminReply, port: number): Facts {
  const headers = comparedHeaders.map((name) => [name, withoutPort(answer.headers[name], port)] as const);
  return {
    status: String(answer.status),
    ...Object.fromEntries(headers),
    body: withoutPort(answer.body, port),
    "config afterwards": `${after.status} ${after.body}`,
  };
}

/** Loads the config with which a question starts. */
async function prepare(port: number, before: unknown): Promise<void> {
  const json = { "Content-Type": "application/json" };
  // With null, the request goes to the root path: there null unloads the config, even when nothing is loaded.
  const target = before === null ? "/config/" : "/load";
  const { status, body } = await sendAdminRequest(port, {
    method: "POST",
    target,
    headers: json,
    body: JSON.stringify(before),
  });
  if (status !== 200) {
    throw new Error(`the config of a question does not load: ${status} ${body}`);
  }
}

/** A reload of the public model closes connections that wait in its queue, so the call is repeated when it fails. */
async function persistently<Result>(call: () => Promise<Result>): Promise<Result> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (attempt >= 5) {
        throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function factsFor(server: AdminServerProcess, question: AdminQuestion): Promise<Facts> {
  const { port } = server;
  return persistently(async () => {
    await prepare(port, question.before);
    const headers = Object.fromEntries(
      Object.entries(question.headers).map(([name, value]) => [name, value.replaceAll("PORT", String(port))]),
    );
    const answer = await sendAdminRequest(port, { ...question, headers });
    const after = await persistently(() =>
      sendAdminRequest(port, { method: "GET", target: "/config/", headers: {} }),
    );
    return factsOf(answer, after, port);
  });
}

/**
 * The name of a difference: a status is shown with both values, and the texts of two refusals count as `error`, not as
 * `body`.
 */
function placeOf(path: string, their: Facts, our: Facts): string {
  if (path === "status") {
    return `status ${their.status}, ours ${our.status}`;
  }
  return path === "body" && Number(their.status) >= 400 && Number(our.status) >= 400 ? "error" : path;
}

export interface AdminComparison {
  /** Number of questions that both programs answered. */
  readonly asked: number;
  readonly differences: readonly Difference[];
}

/** Sends the same questions to the public model and to our program. @param program program of the public model */
export async function compareAdmin(program: string): Promise<AdminComparison> {
  const theirs = await AdminServerProcess.start(program);
  try {
    const ours = await AdminServerProcess.start();
    try {
      const differences: Difference[] = [];
      for (const question of adminQuestions) {
        const [their, our] = [await factsFor(theirs, question), await factsFor(ours, question)];
        for (const [path, value] of Object.entries(their)) {
          if (our[path] !== value) {
            const place = placeOf(path, their, our);
            differences.push({ question: question.name, path: place, theirs: value, ours: our[path] });
          }
        }
      }
      return { asked: adminQuestions.length, differences };
    } finally {
      await ours.close();
    }
  } finally {
    await theirs.close();
  }
}
