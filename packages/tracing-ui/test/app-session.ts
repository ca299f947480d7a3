import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { browserPath, oneProcessFlags } from "ui-kit/testing/browser.ts";
import { pageComplaints } from "ui-kit/testing/page-complaints.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe } from "vitest";
import { builtApp } from "./build-app.ts";
import { type FixtureAnswers, type FixtureServer, startFixtureServer } from "./fixtures/fixture-server.ts";
import { fixtureNowUs, type ShopStore, shopStore } from "./fixtures/shop-store.ts";

/** The built app, its server and a page in a browser, for the tests of one file. */
export interface AppSession {
  store: ShopStore;
  /** Folder of the built app; other tests use it, too. */
  readonly folder: string;
  readonly answers: FixtureAnswers;
  readonly server: FixtureServer;
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors of the page in this test. */
  readonly complaints: string[];
}

/**
 * Describes tests of the app in a browser. The app is built once, and each test gets a fresh page at 1440 ×
 * 900 pixels, which keeps nothing from the one before except files of the app. Without Chromium the tests are
 * skipped by name.
 */
export function describeApp(subject: string, tests: (session: AppSession) => void): void {
  const hasBrowser = existsSync(browserPath);
  const title = hasBrowser ? subject : `${subject} (skipped: no Chromium at ${browserPath})`;
  // A browser on a machine that is busy with other tests takes many times as long.
  describe.skipIf(!hasBrowser)(title, { timeout: 60_000 }, () => {
    const session = { store: shopStore(40) } as { -readonly [Key in keyof AppSession]: AppSession[Key] };
    let browser: Browser;
    let kept: Page;
    beforeAll(async () => {
      // Built here and not taken from dist: the test is about these sources.
      session.folder = await builtApp();
      browser = await chromium.launch({ executablePath: browserPath, args: oneProcessFlags });
      session.answers = { traces: [] };
      // One server and one context, so that a browser reads the app's scripts once.
      session.server = await startFixtureServer(session.folder, session.answers);
      session.context = await browser.newContext({
        viewport: { width: 1440, height: 900 },
        colorScheme: "light",
        reducedMotion: "reduce",
        timezoneId: "Europe/Berlin",
      });
      kept = await session.context.newPage();
      await kept.goto(`${session.server.origin}/static/icon.svg`);
    });
    afterAll(async () => {
      await browser?.close();
      await session.server?.close();
    });
    beforeEach(async () => {
      for (const name of Object.keys(session.answers)) {
        Reflect.deleteProperty(session.answers, name);
      }
      Object.assign(session.answers, { traces: session.store.traces });
      session.server.requests.length = 0;
      session.page = await session.context.newPage();
      await session.page.clock.setFixedTime(fixtureNowUs / 1_000 + 20_000);
      session.complaints = pageComplaints(session.page);
    });
    afterEach(async () => {
      await session.context.setOffline(false);
      const debug = await session.context.newCDPSession(session.page);
      await debug.send("Storage.clearDataForOrigin", { origin: session.server.origin, storageTypes: "all" });
      const opened = session.context.pages().filter((page) => page !== kept);
      await Promise.all(opened.map((page) => page.close()));
    });
    tests(session);
  });
}
