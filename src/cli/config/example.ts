import { apiChoices } from '../../api/dialects/registry.ts';
import { thresholdNames, thresholdOf } from '../../triage/thresholds.ts';
import { fieldNames, listNames } from '../../resources/lists.ts';
import { apisWithVariants, variantChoices } from '../options/commands.ts';
import { commandName, formatKey } from '../../tui/keys/keymap.ts';
import { keyCommands } from '../../screens/keys.ts';

const keyLines = keyCommands.map(
  (binding) =>
    `# ${commandName(binding)} = []`.padEnd(29) +
    `# ${binding.keys.map((key) => formatKey(key)).join(' ')}  ${binding.help}`,
);

const thresholdLines = thresholdNames.map((name) => {
  const { warning, critical } = thresholdOf(name);
  return `# ${name} = { warning = ${warning}${Number.isFinite(critical) ? `, critical = ${critical}` : ''} }`;
});

const listLines = listNames.map((name) => {
  const names = fieldNames(name);
  return `[lists.${name}]\n# columns = [${names.map((id) => `"${id}"`).join(', ')}]\n# sort = "${names[0]}"`;
});

/** A configuration that passes its own check; every setting is in it. */
export const exampleConfig = `# Configuration of brokertop. Check it with: brokertop config check

# The default context, used without -c.
context = "prod"

# For all contexts. The values shown are the defaults.
[defaults]
# interval = 2               # seconds between refreshes, 0.5 to 60
# theme = "auto"             # auto, dark, light, high-contrast, 16, mono
# screen = "overview"        # to start with, such as sessions or triage
# mouse = true               # false leaves the mouse to the terminal
# plain-render = false       # the simple renderer
# screen-reader = false      # lines of text instead of a screen
# max-rows = 1000000         # per list
# audit = true               # false does not record actions
# record = false             # true records the cluster in the state folder, see brokertop record
# max-size = "1G"            # of the recording of a cluster, such as 500M or 2G
# max-age = "7d"             # of a recording, such as 12h or 30d
# bell = false               # rings for new critical problems
# notify = false             # shows a notification of the terminal for them
# on-problem = "notify-send -- brokertop \\"$BROKERTOP_PROBLEM\\""   # runs a command for them

[contexts.prod]
url = ["https://broker1.example:18083", "https://broker2.example:18083"]   # the second is a fallback
${`api = "v5"`.padEnd(28)} # ${apiChoices.join(', ')}
user = "ops"                 # or an API key
password-command = "pass show brokers/prod"                                # or password-file = "FILE", mode 600
color = "red"                # of the context name in the header: red, yellow, green, blue
read-only = false
# variant = "auto"           # API ${apisWithVariants.join(', ')} only: ${variantChoices.join(', ')}
# ca = "/etc/ssl/brokers.pem"
# cert = "/home/ops/client.pem"
# key = "/home/ops/client.key"
# servername = "broker.example"
# insecure-tls = false       # true: skip certificate verification
# proxy = "http://proxy.example:3128"                                      # instead of https_proxy; "" for none

[contexts.local]
url = "http://127.0.0.1:8080"
color = "green"
# insecure-http = false      # true: allow http:// to another machine

# When a problem is a warning, and when it is critical: shares of a limit (0 to 1), messages or connections per second,
# messages out per message in (fan-out), or a node's clients relative to the average (balance).
[thresholds]
${thresholdLines.join('\n')}

# Columns of each list in their order, and the sort column (-COLUMN: largest first), until you change them on the screen.
${listLines.join('\n')}

# Extra keys for commands: one or several, such as "f", "Alt-f" or "Ctrl-G". Each must be unused.
[keys]
${keyLines.join('\n')}
`;
