import { thresholdNames, thresholdOf } from '../../triage/thresholds.ts';
import { arrangedLists, listColumns } from './list-columns.ts';
import { commandName, formatKey, keyCommands } from '../../ui/keys/keymap.ts';

const keyLines = keyCommands.map((binding) => `# ${commandName(binding)} = []`.padEnd(29) + `# ${binding.keys.map((key) => formatKey(key)).join(' ')}  ${binding.help}`);

const thresholdLines = thresholdNames.map((name) => {
  const { warning, critical } = thresholdOf(name);
  return `# ${name} = { warning = ${warning}${Number.isFinite(critical) ? `, critical = ${critical}` : ''} }`;
});

const listLines = arrangedLists.map((name) => `[lists.${name}]\n# columns = [${listColumns[name].map((id) => `"${id}"`).join(', ')}]\n# sort = "${listColumns[name][0]}"`);

/** A configuration that passes its own check; every setting is in it. */
export const exampleConfig = `# Configuration of brokertop. Check it with: brokertop config check

# The context to start with, without -c.
context = "prod"

# For all contexts. These are the defaults unless they are set here.
[defaults]
# interval = 2               # seconds between refreshes, 0.5 to 60
# theme = "auto"             # auto, dark, light, high-contrast, 16, mono
# screen = "overview"        # to start with, such as sessions or triage
# mouse = true               # false leaves the mouse to the terminal
# plain-render = false       # the simple renderer
# screen-reader = false      # lines of text instead of a screen
# max-rows = 1000000         # per list
# audit = true               # false does not record actions
# bell = false               # rings for new critical problems
# notify = false             # shows a notification of the terminal for them
# on-problem = "notify-send brokertop \\"$BROKERTOP_PROBLEM\\""   # runs a command for them

[contexts.prod]
url = ["https://broker1.example:18083", "https://broker2.example:18083"]   # the second if the first fails
api = "v5"                   # auto, v2, v5
user = "ops"                 # or an API key
password-command = "pass show brokers/prod"                                # or password-file = "FILE", mode 600
color = "red"                # of its name in the header: red, yellow, green, blue
read-only = false
# variant = "auto"           # of API v2: auto, a, b
# ca = "/etc/ssl/brokers.pem"
# cert = "/home/ops/client.pem"
# key = "/home/ops/client.key"
# servername = "broker.example"
# insecure-tls = false       # skips certificate verification
# proxy = "http://proxy.example:3128"                                      # instead of https_proxy; "" for none

[contexts.local]
url = "http://127.0.0.1:8080"
color = "green"
# insecure-http = false      # allows http:// to another machine

# When the checks of Triage warn, and when they are critical. Shares of a limit (0 to 1), messages or connections per second,
# messages out per message in (fan-out), a node's clients by the average of all (balance).
[thresholds]
${thresholdLines.join('\n')}

# Columns of lists in their order, and their sort (-COLUMN: largest first), until they are changed on the screen.
${listLines.join('\n')}

# More keys for commands: one or several, such as "f", "Alt-f" or "Ctrl-G". Each must be free.
[keys]
${keyLines.join('\n')}
`;
