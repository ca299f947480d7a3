import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { browserFlags, browserPath } from "ui-kit/testing/browser.ts";
import { pageComplaints } from "ui-kit/testing/page-complaints.ts";
import { type FixtureAnswers, type FixtureServer, startFixtureServer } from "./fixtures/fixture-server.ts";
import { fixtureNowUs } from "./fixtures/shop-store.ts";

/** A page of the app, built from these sources, with a server behind it. */
export interface OpenPage {
  page: Page;
  server: FixtureServer;
  /** Errors that the page threw, and requests for files that its policy forbade. */
  complaints: string[];
  close(): Promise<void>;
}

/** The built app and a browser, for the tests of one file. */
export class AppUnderTest {
  readonly #folder: string;
  readonly #browser: Browser;

  private constructor(folder: string, browser: Browser) {
    this.#folder = folder;
    this.#browser = browser;
  }

  /** Starts the browser. @param folder of the built app, which stays as it is */
  static async start(folder: string): Promise<AppUnderTest> {
    return new AppUnderTest(
      folder,
      await chromium.launch({ executablePath: browserPath, args: browserFlags }),
    );
  }

  /** Folder of the built app. */
  get folder(): string {
    return this.#folder;
  }

  /** Opens an empty page beside a server of its own. The clock stands still just after the fixtures. */
  async open(
    answers: FixtureAnswers,
    { theme = "light", width = 1440 }: { theme?: "light" | "dark"; width?: number } = {},
  ): Promise<OpenPage> {
    const server = await startFixtureServer(this.#folder, answers);
    const context: BrowserContext = await this.#browser.newContext({
      viewport: { width, height: 900 },
      colorScheme: theme,
      timezoneId: "Europe/Berlin",
      reducedMotion: "reduce",
    });
    const page = await context.newPage();
    await page.clock.setFixedTime(fixtureNowUs / 1_000 + 20_000);
    const complaints = pageComplaints(page);
    return {
      page,
      server,
      complaints,
      async close() {
        await context.close();
        await server.close();
      },
    };
  }

  async stop(): Promise<void> {
    await this.#browser.close();
  }
}
