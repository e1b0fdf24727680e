// Shared by the turns of both versions.
import path from "node:path";

export class Turn {
  // notify sends one session/update.
  constructor(session, prompt, client, notify) {
    Object.assign(this, { session, prompt, client, notify, stop: "end_turn" });
    this.id = session.id;
    this.cancelled = new Promise((resolve) => (session.cancel = resolve));
  }

  update(update) {
    return this.notify(update);
  }

  // fail reports a failed expectation.
  fail(text) {
    return this.say(`FAIL: ${text}\n`);
  }

  async equal(what, got, want) {
    if (JSON.stringify(got) !== JSON.stringify(want)) {
      await this.fail(`${what}: got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
    }
  }

  // check returns the value of the promise; if it fails, check reports that and
  // returns undefined.
  async check(what, promise) {
    try {
      return await promise;
    } catch (e) {
      await this.fail(`${what}: ${e.code} ${e.message}`);
    }
  }

  // refused checks for an error with one of the codes.
  async refused(what, promise, ...codes) {
    try {
      await this.fail(`${what}: no error but ${JSON.stringify(await promise)}`);
    } catch (e) {
      if (!codes.includes(e.code)) await this.fail(`${what}: ${e.code} ${e.message}, want ${codes}`);
    }
  }

  path(name) {
    return path.join(this.session.cwd, name);
  }

  // run does what the prompt says and returns the stop reason.
  async run(words) {
    const text = this.prompt[0]?.type === "text" ? this.prompt[0].text : "";
    const [, word, rest] = /^(\S*) ?([^]*)$/.exec(text);
    if (!Object.hasOwn(words, word)) await this.fail(`no such word: ${word}`);
    else await words[word](this, rest);
    return this.stop;
  }
}

// shared are the commands that both versions understand.
export const shared = {
  hello: (t) => t.say("hello ", "from ", "ts"),
  echo: (t, rest) => t.say(rest),
  async burst(t, rest) {
    for (let i = 0; i < Number(rest); i++) await t.say(`${i} `);
  },
  async blocks(t) {
    const out = [];
    for (const b of t.prompt) {
      if (b.type === "text") out.push("text");
      else if (b.type === "resource_link") out.push(`link ${b.name} ${b.uri}`);
      else await t.fail(`an unexpected block: ${JSON.stringify(b)}`);
    }
    await t.say(out.join("|"));
  },
  async info(t) {
    await t.update({ sessionUpdate: "session_info_update", title: "A title" });
    await t.update({ sessionUpdate: "usage_update", used: 1200, size: 8000, cost: { amount: 0.5, currency: "EUR" } });
    await t.say("told");
  },
  async refuse(t) {
    t.stop = "refusal";
  },
  async wait(t) {
    await t.say("waiting");
    await t.cancelled;
    await t.say(" no more");
    t.stop = "cancelled";
  },
};

// picture is the start of a PNG, 8 bytes.
export const picture = "iVBORw0KGgo=";
