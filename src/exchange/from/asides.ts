import { wordsIn } from '../../host/bytes.ts';
/** Keys of other tools that say nothing about what a command may see or do: models, looks, notices, the agent's own tools. */

/** Source: Codex's core/config.schema.json; and what `codex --strict-config` 0.166 takes for a key. */
export const CODEX_ASIDE: readonly string[] = [
  ...wordsIn('agents allow_login_shell analytics approval_policy approvals_reviewer apps apps_mcp_product_sku'),
  ...['audio', 'auto_review', 'background_terminal_max_timeout', 'chatgpt_base_url', 'check_for_update_on_startup'],
  ...wordsIn('cli_auth_credentials_store compact_prompt debug desktop developer_instructions disable_paste_burst'),
  ...[
    'experimental_compact_prompt_file',
    'experimental_realtime_start_instructions',
    'experimental_realtime_ws_backend_prompt',
  ],
  ...[
    'experimental_realtime_ws_base_url',
    'experimental_realtime_ws_model',
    'experimental_realtime_ws_startup_context',
  ],
  ...[
    'experimental_thread_config_endpoint',
    'experimental_thread_store',
    'experimental_use_unified_exec_tool',
    'features',
  ],
  ...['feedback', 'file_opener', 'forced_chatgpt_workspace_id', 'forced_login_method', 'ghost_snapshot'],
  ...[
    'hide_agent_reasoning',
    'history',
    'hooks',
    'include_apps_instructions',
    'include_collaboration_mode_instructions',
  ],
  ...['include_environment_context', 'include_permissions_instructions', 'instructions', 'log_dir', 'marketplaces'],
  ...['mcp_oauth_callback_port', 'mcp_oauth_callback_url', 'mcp_oauth_credentials_store', 'mcp_servers', 'memories'],
  ...['model', 'model_auto_compact_token_limit', 'model_auto_compact_token_limit_scope', 'model_catalog_json'],
  ...['model_context_window', 'model_instructions_file', 'model_provider', 'model_providers', 'model_reasoning_effort'],
  ...['model_reasoning_summary', 'model_supports_reasoning_summaries', 'model_verbosity', 'notice', 'notify'],
  ...['openai_base_url', 'oss_provider', 'otel', 'personality', 'plan_mode_reasoning_effort', 'plugins'],
  ...['project_doc_fallback_filenames', 'project_doc_max_bytes', 'project_root_markers', 'projects', 'realtime'],
  ...['review_model', 'service_tier', 'show_raw_agent_reasoning', 'skills', 'sqlite_home'],
  ...['suppress_unstable_features_warning', 'tool_output_token_limit', 'tool_suggest', 'tools', 'tui', 'web_search'],
  ...wordsIn('allow_symlinked_codex_home browser_use cloud computer_use goals include_environment_context_time'),
  ...['experimental_realtime_webrtc_call_base_url', 'experimental_thread_store_endpoint', 'js_repl_node_module_dirs'],
  ...['js_repl_node_path', 'mcp_enterprise_managed_auth', 'mcp_optional_startup_grace_ms', 'orchestrator'],
  ...['model_post_turn_compact_threshold_percent', 'responses_api_metadata', 'thread_unload_delay_secs'],
  'windows',
  // Of earlier versions.
  ...['disable_response_storage', 'exec_timeout_ms', 'experimental_instructions_file', 'include_apply_patch_tool'],
  ...['experimental_use_freeform_apply_patch', 'model_max_output_tokens', 'model_reasoning_summary_format'],
  ...['preferred_auth_method', 'tools_view_image', 'tools_web_search', 'windows_wsl_setup_acknowledged'],
];

/** Source: Gemini CLI's page on configuration; each with all that lies below it. */
export const GEMINI_ASIDE: readonly string[] = wordsIn(`
  $schema policyPaths adminPolicyPaths general output ui ide privacy billing model modelConfigs agents context mcp
  mcpServers useWriteTodos experimental skills telemetry hooksConfig hooks extensions admin advanced
  contextManagement tools.shell tools.allowed tools.discoveryCommand tools.callCommand tools.useRipgrep
  tools.truncateToolOutputThreshold tools.disableLLMCorrection tools.confirmationRequired
  tools.enableToolOutputTruncation tools.truncateToolOutputLines tools.autoAccept security.disableYoloMode
  security.disableAlwaysAllow security.enablePermanentToolApproval security.autoAddToPolicyByDefault
  security.blockGitExtensions security.allowedExtensions security.folderTrust security.auth security.enableConseca
`);

/** Source: the JSON Schema of Claude Code's settings in SchemaStore, its page on settings, and the schema in Claude Code 2.1.325 itself. */
export const CLAUDE_ASIDE: readonly string[] = wordsIn(`
  $schema advisorModel agent agentPushNotifEnabled allowAllClaudeAiMcps allowManagedHooksOnly
  allowManagedMcpServersOnly allowManagedPermissionRulesOnly allowedChannelPlugins allowedHttpHookUrls
  allowedMcpServers alwaysThinkingEnabled apiKeyHelper attribution autoCompactEnabled autoMemoryDirectory
  autoMemoryEnabled autoMode autoScrollEnabled autoUpdatesChannel availableModels awaySummaryEnabled awsAuthRefresh
  awsCredentialExport axScreenReader blockedMarketplaces channelsEnabled claudeMd claudeMdExcludes cleanupPeriodDays
  companyAnnouncements defaultShell deniedMcpServers disableAgentView disableAllHooks disableArtifact
  disableAutoMode disableBundledSkills disableClaudeAiConnectors disableDeepLinkRegistration disableRemoteControl
  disableSideloadFlags disableSkillShellExecution disableWorkflows disabledMcpjsonServers editorMode effortLevel
  enableAllProjectMcpServers enabledMcpjsonServers enabledPlugins enforceAvailableModels extraKnownMarketplaces
  fallbackModel fastMode feedbackSurveyRate fileCheckpointingEnabled fileSuggestion footerLinksRegexes
  forceLoginMethod forceLoginOrgUUID forceRemoteSettingsRefresh gcpAuthRefresh hooks httpHookAllowedEnvVars
  includeCoAuthoredBy includeGitInstructions inputNeededNotifEnabled language managedMcpServers mcpServers
  minimumVersion model modelOverrides otelHeadersHelper outputStyle parentSettingsBehavior plansDirectory
  pluginConfigs pluginSuggestionMarketplaces pluginTrustMessage prUrlTemplate preferredNotifChannel
  prefersReducedMotion requiredMaximumVersion requiredMinimumVersion respectGitignore respondToBashCommands
  showClearContextOnPlanAccept showThinkingSummaries showTurnDuration skillListingBudgetFraction
  skillListingMaxDescChars skillOverrides skipDangerousModePermissionPrompt skipWebFetchPreflight spinnerTipsEnabled
  spinnerTipsOverride spinnerVerbs sshConfigs sshHostAllowlist statusLine strictKnownMarketplaces
  strictPluginOnlyCustomization subagentStatusLine teammateMode terminalProgressBarEnabled theme tui
  useAutoModeDuringPlan verbose viewMode voice voiceEnabled wheelScrollAccelerationEnabled worktree
  wslInheritsWindowsSettings additionalMarketplaces allowClaudeInChromeWithManagedMcp allowedMarketplaces
  allowedProviders appendPlugins askUserQuestionTimeout attributionProject attributionProjectPolicy
  autoCompactWindow autoContinueAtUsageLimit autoDreamEnabled autoUploadSessions availableModelsMatch
  bashEditDiffEnabled bashOutputMaxChars breakReminder clawdFileProgressEnabled crossSessionInbound daemonColdStart
  deniedModels desktopSessionCleanupPeriodDays dialogExpiry disableCommandPluginSources disableReplyCheck
  disableWindowsBashCommandSplit doneMeansMerged emojiCompletionEnabled enableArtifact enableWorkflows
  fastModePerSessionOptIn feedbackDrafts forceLoginGatewayUrl gatewayInternalNetworks idleCompaction
  isolatePeerMachines keybindingFlavor managedSourcesBehavior maxEffortLevel maxProseWidth modelPicker modelPricing
  modelProposedGoals modelSettings precomputeArmTokens precomputeCompactionEnabled prependPlugins processWrapper
  promptCacheTtl promptSuggestionEnabled proxyAuthHelper quietHours remote remoteControl remoteControlAtStartup
  remoteTools responseComparisonEnabled showMessageTimestamps skipWorkflowUsageWarning spellcheck sshHostCommands
  subagentPromptCacheTtl switchModelsOnFlag syncClaudeAiPlugins syncClaudeAiSkills syntaxHighlightingDisabled
  taskOutputMaxChars terminalTitleFromRename timeFormat timeZone todoFeatureEnabled totalTokensReminder
  totalTokensReminderAfterUserTurn totalTokensReminderBudget ultracode vimInsertModeRemaps
  workflowKeywordTriggerEnabled workflowSizeGuideline xaaIdp
`);
