import { existsSync } from "node:fs";
import path from "node:path";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";
import { browserPath, oneProcessFlags } from "ui-kit/testing/browser.ts";
import { builtOnce } from "ui-kit/testing/built-once.ts";
import { pageComplaints } from "ui-kit/testing/page-complaints.ts";
import { build } from "vite";
import { afterAll, afterEach, beforeAll, beforeEach, describe } from "vitest";
import { ServerUnderTest } from "./server-under-test.ts";

/** The built console on a real server, and a page in a browser, for the tests of one file. */
export interface ConsoleSession {
  readonly server: ServerUnderTest;
  /** Folder of the built app; other tests use it, too. */
  readonly folder: string;
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors of the page in this test, and what its policy forbade it. */
  readonly complaints: string[];
}

const root = path.resolve(import.meta.dirname, "..");

/** The browser's settings for its user. */
export const contextSettings: BrowserContextOptions = {
  viewport: { width: 1440, height: 900 },
  colorScheme: "light",
  reducedMotion: "reduce",
  timezoneId: "Europe/Berlin",
};

/** Builds the console as it is served, once for all who have these sources. @returns its folder, which is nobody's to change */
export function builtConsole(): Promise<string> {
  const own = ["src", "public", "index.html", "package.json", "vite.config.ts"];
  const sources = [...own.map((name) => path.join(root, name)), path.resolve(root, "../ui-kit/src")];
  return builtOnce("admin-ui-built", sources, async (outDir) => {
    const before = process.env.NODE_ENV;
    // A test runner's own would bring React's build for developers, which nobody is served.
    process.env.NODE_ENV = "production";
    try {
      await build({ root, logLevel: "error", build: { outDir, emptyOutDir: true } });
    } finally {
      if (before === undefined) {
        delete process.env.NODE_ENV;
      } else {
        process.env.NODE_ENV = before;
      }
    }
  });
}

/**
 * Describes tests of the console in a browser: it is built once, and each test gets a server without a
 * config and a page of its own, 1440 × 900 pixels. Where there is no Chromium the tests are skipped, by name.
 */
export function describeConsole(subject: string, tests: (session: ConsoleSession) => void): void {
  const hasBrowser = existsSync(browserPath);
  const title = hasBrowser ? subject : `${subject} (skipped: no Chromium at ${browserPath})`;
  // A browser on a machine that is busy with other tests takes many times as long.
  describe.skipIf(!hasBrowser)(title, { timeout: 60_000 }, () => {
    const session = {} as { -readonly [Key in keyof ConsoleSession]: ConsoleSession[Key] };
    let browser: Browser;
    let kept: Page;
    beforeAll(async () => {
      session.folder = await builtConsole();
      session.server = await ServerUnderTest.start(session.folder);
      browser = await chromium.launch({ executablePath: browserPath, args: oneProcessFlags });
      // One context, so that a browser reads the console's scripts once.
      session.context = await browser.newContext(contextSettings);
      kept = await session.context.newPage();
      await kept.goto(`${session.server.origin}/static/icon.svg`);
    });
    afterAll(async () => {
      await browser?.close();
      await session.server?.stop();
    });
    beforeEach(async () => {
      await session.server.empty();
      session.page = await session.context.newPage();
      session.complaints = pageComplaints(session.page);
    });
    afterEach(async () => {
      const debug = await session.context.newCDPSession(session.page);
      await debug.send("Storage.clearDataForOrigin", { origin: session.server.origin, storageTypes: "all" });
      const opened = session.context.pages().filter((page) => page !== kept);
      await Promise.all(opened.map((page) => page.close()));
    });
    tests(session);
  });
}
