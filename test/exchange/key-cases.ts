import type { ImportFormat } from '../../src/exchange/from/importer.ts';

/** `aside`: not about what a command may see. `accept`: refused until somebody accepts that very key. */
export type Expected = 'same' | 'narrower' | 'aside' | 'accept';

export interface KeyCase {
  readonly key: string;
  readonly value: unknown;
  readonly expected: Expected;
}

const cases = (expected: Expected, values: Readonly<Record<string, unknown>>): KeyCase[] =>
  Object.entries(values).map(([key, value]) => ({ key, value, expected }));

const named = (expected: Expected, names: string, value: unknown = 'x'): KeyCase[] =>
  names.split(/\s+/).map((key) => ({ key, value, expected }));

/** Source: Codex, core/config.schema.json and what `codex --strict-config` 0.166 knows at its top level, ShellEnvironmentPolicyToml, SandboxWorkspaceWrite, PermissionProfileToml, NetworkToml. */
const codex: readonly KeyCase[] = [
  ...cases('same', {
    'shell_environment_policy.inherit': 'core',
    'shell_environment_policy.ignore_default_excludes': false,
    'shell_environment_policy.exclude': ['AWS_*'],
    'shell_environment_policy.set': { FOO: 'bar' },
    'shell_environment_policy.include_only': ['PATH'],
    'shell_environment_policy.filters': { 'AWS_*': 'exclude', PATH: 'include' },
    'shell_environment_policy.experimental_use_profile': false,
    sandbox_mode: 'danger-full-access',
    'sandbox_workspace_write.network_access': true,
    'sandbox_workspace_write.writable_roots': ['/srv/a'],
    default_permissions: ':workspace',
  }),
  ...cases('narrower', {
    'sandbox_workspace_write.exclude_slash_tmp': true,
    'sandbox_workspace_write.exclude_tmpdir_env_var': true,
  }),
  ...cases('accept', {
    'shell_environment_policy.unheard_of': 1,
    'shell_environment_policy.filters': ['AWS_*'],
    unheard_of: 1,
    profile: 'missing',
  }),
  ...named(
    'aside',
    'allow_symlinked_codex_home browser_use cloud computer_use experimental_realtime_webrtc_call_base_url experimental_thread_store_endpoint goals include_environment_context_time js_repl_node_module_dirs js_repl_node_path mcp_enterprise_managed_auth mcp_optional_startup_grace_ms model_post_turn_compact_threshold_percent orchestrator responses_api_metadata thread_unload_delay_secs',
  ),
  ...named(
    'aside',
    'agents allow_login_shell analytics approval_policy approvals_reviewer apps apps_mcp_product_sku audio auto_review background_terminal_max_timeout chatgpt_base_url check_for_update_on_startup cli_auth_credentials_store compact_prompt debug desktop developer_instructions disable_paste_burst experimental_compact_prompt_file experimental_realtime_start_instructions experimental_realtime_ws_backend_prompt experimental_realtime_ws_base_url experimental_realtime_ws_model experimental_realtime_ws_startup_context experimental_thread_config_endpoint experimental_thread_store experimental_use_unified_exec_tool features feedback file_opener forced_chatgpt_workspace_id forced_login_method ghost_snapshot hide_agent_reasoning history hooks include_apps_instructions include_collaboration_mode_instructions include_environment_context include_permissions_instructions instructions log_dir marketplaces mcp_oauth_callback_port mcp_oauth_callback_url mcp_oauth_credentials_store mcp_servers memories model model_auto_compact_token_limit model_auto_compact_token_limit_scope model_catalog_json model_context_window model_instructions_file model_provider model_providers model_reasoning_effort model_reasoning_summary model_supports_reasoning_summaries model_verbosity notice notify openai_base_url oss_provider otel personality plan_mode_reasoning_effort plugins profiles project_doc_fallback_filenames project_doc_max_bytes project_root_markers projects realtime review_model service_tier show_raw_agent_reasoning skills sqlite_home suppress_unstable_features_warning tool_output_token_limit tool_suggest tools tui web_search windows',
  ),
];

/** The same, inside a profile that `default_permissions` names. */
export const CODEX_PERMISSIONS: readonly KeyCase[] = [
  ...cases('same', {
    'filesystem./opt': 'read',
    'filesystem./srv': 'write',
    'filesystem.~/private': 'deny',
    'filesystem.:workspace_roots': { '.': 'write' },
    extends: ':workspace',
    'network.enabled': true,
    'workspace_roots./srv/b': true,
  }),
  ...cases('narrower', {
    'filesystem.:root': 'read',
    'network.domains': { 'example.com': 'allow', '**.example.org': 'deny' },
    'network.unix_sockets': { '/run/x': 'allow' },
    'network.allow_local_binding': true,
    'network.dangerously_allow_all_unix_sockets': true,
    'network.mitm': {},
  }),
  ...cases('aside', { description: 'x' }),
  ...named('aside', 'network.proxy_url network.socks_url network.enable_socks5 network.enable_socks5_udp'),
  ...named('aside', 'network.allow_upstream_proxy network.dangerously_allow_non_loopback_proxy'),
  ...cases('accept', { 'filesystem.**/.env': 'deny', 'network.mode': 'limited', unheard_of: 1 }),
];

/** Source: Gemini CLI, its page on configuration. */
const gemini: readonly KeyCase[] = [
  ...cases('same', {
    'security.environmentVariableRedaction.enabled': false,
    'security.environmentVariableRedaction.blocked': ['FOO'],
    'tools.sandbox': false,
    'security.toolSandboxing': true,
    'tools.sandboxNetworkAccess': false,
    'tools.sandboxAllowedPaths': ['/srv/a'],
  }),
  ...cases('accept', {
    'security.unheard_of': true,
    unheard_of: 1,
    'security.environmentVariableRedaction.unheard_of': 1,
  }),
  ...named(
    'aside',
    'policyPaths adminPolicyPaths general.preferredEditor general.defaultApprovalMode general.checkpointing.enabled output.format ui.theme ui.footer.items ide.enabled privacy.usageStatisticsEnabled billing.overageStrategy model.name modelConfigs.aliases agents.overrides context.fileName context.fileFiltering.respectGitIgnore tools.shell.pager tools.core tools.allowed tools.exclude tools.discoveryCommand tools.callCommand tools.useRipgrep tools.truncateToolOutputThreshold tools.disableLLMCorrection mcp.serverCommand mcp.allowed mcp.excluded useWriteTodos security.disableYoloMode security.disableAlwaysAllow security.enablePermanentToolApproval security.autoAddToPolicyByDefault security.blockGitExtensions security.allowedExtensions security.folderTrust.enabled security.auth.selectedType security.auth.enforcedType security.auth.useExternal security.enableConseca advanced.autoConfigureMemory advanced.dnsResolutionOrder advanced.excludedEnvVars advanced.bugCommand experimental.plan skills.enabled skills.disabled hooksConfig.enabled hooksConfig.disabled hooks.BeforeTool hooks.SessionStart mcpServers.x telemetry.enabled',
  ),
];

/** Source: the schema of Claude Code's settings in SchemaStore and in Claude Code 2.1.325: permissions, sandbox, and every key at its top level. */
const claude: readonly KeyCase[] = [
  ...cases('same', {
    env: { FOO: 'bar' },
    'permissions.deny': ['Read(~/private/**)'],
    'permissions.additionalDirectories': ['/srv/a'],
    'sandbox.enabled': true,
    'sandbox.failIfUnavailable': true,
    'sandbox.filesystem.allowWrite': ['//srv/a'],
    'sandbox.filesystem.denyWrite': ['~/b'],
    'sandbox.filesystem.denyRead': ['~/c'],
    'sandbox.filesystem.allowRead': ['~/c/d'],
    'sandbox.network.deniedDomains': ['example.org'],
    'sandbox.network.deniedResolvedAddresses': ['10.0.0.0/8'],
    'sandbox.network.allowLocalBinding': true,
    'sandbox.credentials.envVars': [{ name: 'GH_TOKEN', mode: 'deny' }],
    'sandbox.credentials.files': [{ path: '~/.netrc', mode: 'deny' }],
    'sandbox.filesystem.disabled': true,
    'permissions.blockReadsOutsideWorkingDirectories': true,
    'permissions.blockWritesOutsideWorkingDirectories': true,
  }),
  ...cases('narrower', {
    'sandbox.network.allowedDomains': ['example.com'],
    'sandbox.network.strictAllowlist': true,
    'sandbox.network.tlsTerminate': {},
    'sandbox.credentials.allowPlaintextInject': true,
    'sandbox.credentials.awsPairs': [],
    'sandbox.credentials.sigv4': {},
    'sandbox.allowNestedUserNamespaces': true,
    'sandbox.network.allowUnixSockets': ['/run/x'],
    'sandbox.network.allowAllUnixSockets': true,
    'sandbox.network.allowMachLookup': ['x'],
    'sandbox.network.httpProxyPort': 1,
    'sandbox.network.socksProxyPort': 1,
    'sandbox.excludedCommands': ['docker'],
    'sandbox.allowUnsandboxedCommands': true,
    'sandbox.enableWeakerNestedSandbox': true,
    'sandbox.enableWeakerNetworkIsolation': true,
    'sandbox.allowAppleEvents': true,
  }),
  ...named('aside', 'sandbox.autoAllowBashIfSandboxed sandbox.ripgrep sandbox.bwrapPath sandbox.socatPath'),
  ...named('aside', 'sandbox.enabledPlatforms sandbox.ignoreViolations sandbox.network.allowManagedDomainsOnly'),
  ...named(
    'aside',
    'sandbox.filesystem.allowManagedReadPathsOnly permissions.allow permissions.ask permissions.defaultMode',
  ),
  ...named('aside', 'permissions.disableBypassPermissionsMode permissions.disableAutoMode'),
  ...named('aside', 'permissions.denyInsteadOfPrompting permissions.workingDirectoriesAsGiven'),
  ...named('aside', 'permissions.blockFileToolReadsOutsideWorkingDirectories permissions.blockReadsExemptPaths'),
  ...cases('accept', { unheard_of: 1, 'sandbox.unheard_of': 1, 'permissions.unheard_of': 1 }),
  // Programs that compute settings, which may restrict.
  ...cases('accept', { policyHelper: { path: '/x' }, policyHelpers: {} }),
  ...named(
    'aside',
    'additionalMarketplaces allowClaudeInChromeWithManagedMcp allowedMarketplaces allowedProviders appendPlugins askUserQuestionTimeout attributionProject attributionProjectPolicy autoCompactWindow autoContinueAtUsageLimit autoDreamEnabled autoUploadSessions availableModelsMatch bashEditDiffEnabled bashOutputMaxChars breakReminder clawdFileProgressEnabled crossSessionInbound daemonColdStart deniedModels desktopSessionCleanupPeriodDays dialogExpiry disableCommandPluginSources disableReplyCheck disableWindowsBashCommandSplit doneMeansMerged emojiCompletionEnabled enableArtifact enableWorkflows fastModePerSessionOptIn feedbackDrafts forceLoginGatewayUrl gatewayInternalNetworks idleCompaction isolatePeerMachines keybindingFlavor managedSourcesBehavior maxEffortLevel maxProseWidth modelPicker modelPricing modelProposedGoals modelSettings precomputeArmTokens precomputeCompactionEnabled prependPlugins processWrapper promptCacheTtl promptSuggestionEnabled proxyAuthHelper quietHours remote remoteControl remoteControlAtStartup remoteTools responseComparisonEnabled showMessageTimestamps skipWorkflowUsageWarning spellcheck sshHostCommands subagentPromptCacheTtl switchModelsOnFlag syncClaudeAiPlugins syncClaudeAiSkills syntaxHighlightingDisabled taskOutputMaxChars terminalTitleFromRename timeFormat timeZone todoFeatureEnabled totalTokensReminder totalTokensReminderAfterUserTurn totalTokensReminderBudget ultracode vimInsertModeRemaps workflowKeywordTriggerEnabled workflowSizeGuideline xaaIdp',
  ),
  ...named(
    'aside',
    '$schema apiKeyHelper model hooks statusLine outputStyle cleanupPeriodDays includeCoAuthoredBy companyAnnouncements enabledPlugins extraKnownMarketplaces enableAllProjectMcpServers enabledMcpjsonServers disabledMcpjsonServers allowedMcpServers deniedMcpServers forceLoginMethod forceLoginOrgUUID awsAuthRefresh awsCredentialExport gcpAuthRefresh otelHeadersHelper spinnerVerbs spinnerTipsEnabled spinnerTipsOverride terminalProgressBarEnabled showTurnDuration skillOverrides prefersReducedMotion prUrlTemplate alwaysThinkingEnabled teammateMode worktree parentSettingsBehavior pluginTrustMessage pluginConfigs allowManagedMcpServersOnly blockedMarketplaces agent autoMemoryDirectory autoMode channelsEnabled defaultShell disableDeepLinkRegistration disableSkillShellExecution forceRemoteSettingsRefresh minimumVersion showClearContextOnPlanAccept showThinkingSummaries skipDangerousModePermissionPrompt strictPluginOnlyCustomization tui viewMode useAutoModeDuringPlan voiceEnabled wslInheritsWindowsSettings subagentStatusLine advisorModel autoCompactEnabled disableAgentView editorMode enforceAvailableModels fallbackModel fileCheckpointingEnabled managedMcpServers skillListingMaxDescChars preferredNotifChannel pluginSuggestionMarketplaces requiredMaximumVersion requiredMinimumVersion respondToBashCommands skillListingBudgetFraction sshConfigs sshHostAllowlist theme voice wheelScrollAccelerationEnabled disableBundledSkills awaySummaryEnabled autoScrollEnabled allowAllClaudeAiMcps agentPushNotifEnabled axScreenReader claudeMd disableArtifact disableAutoMode disableClaudeAiConnectors disableRemoteControl disableWorkflows footerLinksRegexes inputNeededNotifEnabled',
  ),
];

/** Source: sandbox-runtime, sandbox/sandbox-config.ts. */
const srt: readonly KeyCase[] = [
  ...cases('same', {
    'filesystem.denyRead': ['~/a'],
    'filesystem.allowRead': ['~/a/b'],
    'filesystem.allowWrite': ['.', '/srv/a'],
    'filesystem.denyWrite': ['/srv/a/b'],
    'filesystem.disabled': true,
    'network.deniedDomains': ['example.org'],
    'network.deniedResolvedAddresses': ['10.0.0.0/8', 'fc00::/7', '127.0.0.0/8', '::1'],
    'network.allowLocalBinding': true,
    'network.refuseOpaqueTunnels': false,
    'network.stripResponseHeaders': [],
    'credentials.envVars': [{ name: 'GH_TOKEN', mode: 'deny' }],
    'credentials.files': [{ path: '~/.netrc', mode: 'deny' }],
  }),
  ...cases('narrower', {
    'filesystem.allowGitConfig': true,
    'network.allowedDomains': ['example.com', '*.example.org', 'example.net:8443'],
    'network.strictAllowlist': true,
    'network.allowUnixSockets': ['/run/x'],
    'network.allowAllUnixSockets': true,
    'network.allowMachLookup': ['x'],
    'network.httpProxyPort': 1,
    'network.socksProxyPort': 1,
    'network.mitmProxy': {},
    'network.parentProxy': {},
    'network.tlsTerminate': {},
    'network.filterRequest': {},
    'credentials.allowPlaintextInject': true,
    'credentials.awsPairs': [],
    'credentials.sigv4': {},
    enableWeakerNestedSandbox: true,
    allowNestedUserNamespaces: true,
    'network.allowPlaintextHeaderSet': true,
    enableWeakerNetworkIsolation: true,
    allowAppleEvents: true,
    allowPty: true,
  }),
  ...named('aside', 'network.deniedDomainReasons ignoreViolations ripgrep mandatoryDenySearchDepth seccomp bwrapPath'),
  ...named('aside', 'socatPath javaAgentJarPath windows git network.ambiguousRequestTarget'),
  ...cases('accept', {
    'filesystem.unheard_of': 1,
    'network.unheard_of': 1,
    'credentials.unheard_of': 1,
    'credentials.files': '~/.netrc',
    'network.requireHostMatch': true,
    'credentials.envVars': { GH_TOKEN: 'deny' },
    'network.deniedResolvedAddresses': '10.0.0.0/8',
    unheard_of: 1,
  }),
];

/** Source: nono, data/nono-profile.schema.json. */
const nono: readonly KeyCase[] = [
  ...cases('same', {
    'environment.allow_vars': ['PATH', 'AWS_*', '*_HOST'],
    'environment.deny_vars': ['GITHUB_*', '*SECRET*'],
    'environment.case_insensitive_vars': true,
    platform_overrides: { linux: { network: { block: true } } },
    'network.listen_port_range': [[3000, 3010]],
    'network.allow_http2': true,
    'network.no_proxy': ['*.example.com'],
    'policy.add_allow_read': ['/srv/a'],
    'policy.add_allow_readwrite': ['/srv/b'],
    'policy.add_deny_access': ['~/private'],
    'policy.override_deny': ['~/.npmrc'],
    'environment.set_vars': { A: '$HOME/x', B: '$WORKDIR' },
    env_credentials: { openai: 'OPENAI_API_KEY', 'op://v/i/f': 'OTHER_KEY' },
    secrets: { openai: 'OPENAI_API_KEY' },
    'filesystem.allow': ['$HOME/.cache/x', { path: '/srv', when: 'linux' }],
    'filesystem.read': ['$WORKDIR/docs'],
    'filesystem.allow_file': ['~/.a.json'],
    'filesystem.read_file': ['$XDG_CONFIG_HOME/a'],
    'filesystem.deny': ['~/private'],
    'filesystem.bypass_protection': ['~/.npmrc'],
    'workdir.access': 'readwrite',
    'network.block': true,
    'network.open_port': [3000],
    'network.port_allow': [3000],
    'network.allow_port': [3000],
    'network.listen_port': [3000],
    'network.custom_credentials': { x: { upstream: 'https://example.com', credential_key: 'x' } },
    interactive: true,
    commands: { allow: ['git'] },
    command_policies: {},
  }),
  ...cases('narrower', {
    extends: 'default',
    groups: { include: ['node_runtime'], exclude: ['x'] },
    security: { signal_mode: 'isolated', groups: ['a'], capability_elevation: true },
    linux: { af_unix_mediation: 'pathname' },
    'network.allow_domain': ['example.com', { domain: 'example.org', endpoints: [{ method: 'GET', path: '/' }] }],
    'network.deny_domain': ['example.org'],
    'network.open_port_range': [[3000, 3010]],
    'network.approval_backends': {},
    'network.approval_defaults': {},
    'filesystem.unix_socket': ['/run/x'],
    'filesystem.unix_socket_bind': ['/run/x'],
    'filesystem.unix_socket_dir': ['/run'],
    'filesystem.unix_socket_dir_bind': ['/run'],
    'filesystem.unix_socket_subtree': ['/run'],
    'filesystem.unix_socket_subtree_bind': ['/run'],
    'policy.exclude_groups': ['x'],
    credential_providers: {},
    credential_routes: [],
    allow_parent_of_protected: true,
    binary: 'claude',
    'network.proxy_allow': ['example.com'],
    'network.allow_proxy': ['example.com'],
    'network.network_profile': 'developer',
    'network.credentials': ['openai'],
    'network.proxy_credentials': ['openai'],
    'network.tls_intercept': {},
    'network.upstream_proxy': 'x:1',
    'network.external_proxy': 'x:1',
    'network.upstream_bypass': ['x'],
    'network.external_proxy_bypass': ['x'],
    hooks: {},
    session_hooks: {},
    open_urls: {},
    allow_launch_services: true,
    allow_gpu: true,
    packs: ['a/b'],
    command_args: ['x'],
    credential_capture: { x: { command: ['gh', 'auth', 'token'] } },
  }),
  ...named('aside', 'filesystem.suppress_save_prompt filesystem.ignore meta diagnostics rollback undo'),
  ...named('aside', 'unsafe_macos_seatbelt_rules skipdirs'),
  ...cases('accept', {
    'filesystem.write': ['/srv'],
    'filesystem.write_file': ['/srv/a'],
    'filesystem.unheard_of': 1,
    'network.unheard_of': 1,
    'environment.unheard_of': 1,
    commands: { deny: ['rm'] },
    groups: { include: ['node_runtime', { name: 'dangerous_commands' }] },
    security: { groups: ['dangerous_commands_linux'] },
    command_policies: { commands: { git: {} } },
    'network.connect_port': [443],
    'policy.add_allow_write': ['/srv'],
    'policy.add_deny_commands': ['rm'],
    'policy.unheard_of': 1,
    platform_overrides: { linux: { extends: 'x' } },
    unheard_of: 1,
  }),
];

export const KEY_CASES: Readonly<Partial<Record<ImportFormat, readonly KeyCase[]>>> = {
  codex,
  gemini,
  claude,
  srt,
  nono,
};
