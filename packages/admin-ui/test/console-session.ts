import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { browserFlags, browserPath } from "ui-kit/testing/browser.ts";
import { pageComplaints } from "ui-kit/testing/page-complaints.ts";
import { build } from "vite";
import { afterAll, afterEach, beforeAll, beforeEach, describe } from "vitest";
import { ServerUnderTest } from "./server-under-test.ts";

/** The built console on a real server, and a page in a browser, for the tests of one file. */
export interface ConsoleSession {
  readonly server: ServerUnderTest;
  /** Folder of the built app. */
  readonly folder: string;
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors of the page in this test, and what its policy forbade it. */
  readonly complaints: string[];
}

/** Builds the console as it is served. @returns its folder; the caller removes it */
export async function buildConsole(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "admin-ui-"));
  const before = process.env.NODE_ENV;
  // A test runner's own would bring React's build for developers, which nobody is served.
  process.env.NODE_ENV = "production";
  await build({
    root: path.resolve(import.meta.dirname, ".."),
    logLevel: "error",
    build: { outDir: folder, emptyOutDir: true },
  });
  process.env.NODE_ENV = before;
  return folder;
}

/**
 * Describes tests of the console in a browser: it is built once for the file, and each test gets a server without a
 * config and a page of its own, 1440 × 900 pixels. Where there is no Chromium the tests are skipped, by name.
 */
export function describeConsole(subject: string, tests: (session: ConsoleSession) => void): void {
  const hasBrowser = existsSync(browserPath);
  const title = hasBrowser ? subject : `${subject} (skipped: no Chromium at ${browserPath})`;
  // A browser on a machine that is busy with other tests takes many times as long.
  describe.skipIf(!hasBrowser)(title, { timeout: 60_000 }, () => {
    const session = {} as { -readonly [Key in keyof ConsoleSession]: ConsoleSession[Key] };
    let browser: Browser;
    beforeAll(async () => {
      session.folder = await buildConsole();
      session.server = await ServerUnderTest.start(session.folder);
      browser = await chromium.launch({ executablePath: browserPath, args: browserFlags });
    });
    afterAll(async () => {
      await browser?.close();
      await session.server?.stop();
      if (session.folder !== undefined) await rm(session.folder, { recursive: true, force: true });
    });
    beforeEach(async () => {
      await session.server.empty();
      session.context = await browser.newContext({
        viewport: { width: 1440, height: 900 },
        colorScheme: "light",
        reducedMotion: "reduce",
        timezoneId: "Europe/Berlin",
      });
      session.page = await session.context.newPage();
      session.complaints = pageComplaints(session.page);
    });
    afterEach(async () => {
      await session.context?.close();
    });
    tests(session);
  });
}
