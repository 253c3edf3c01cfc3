#pragma once

#include <dsk/errors.hpp>

#include <CLI/CLI.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dsk::cli {

/// Wrong arguments. The program adds where to find help.
class UsageError : public InvalidInput {
 public:
  using InvalidInput::InvalidInput;
};

/// Calls a function of the library that reads the flag's value; puts the flag's name before what it complains of.
template <class Read>
auto read_flag(const std::string& flag, const Read& read) {
  try {
    return read();
  } catch (const InvalidInput& error) {
    throw UsageError(flag + ": " + error.what());
  }
}

/// What a message of the library advises, and the flag that does it.
struct AdvisedFlag {
  std::string_view advice;
  std::string_view flag;
};

/// The message with the flags behind what it advises: "ignore the groups with --ignore-groups".
std::string with_flags(std::string message, const std::vector<AdvisedFlag>& flags);

/// Calls a verb of the library, and puts the flags into what it throws.
template <class Verb>
auto naming_flags(const std::vector<AdvisedFlag>& flags, const Verb& verb) {
  try {
    return verb();
  } catch (const InvalidInput& error) {
    throw InvalidInput(with_flags(error.what(), flags));
  }
}

/// Words of the library's messages, and the flag that stands for them.
struct FlagForWords {
  std::string words;
  std::string flag;
};

/// The message with flags in place of words: "--float32 is for ..." for "single precision is for ...".
std::string in_flags(std::string message, const std::vector<FlagForWords>& flags);

/// Calls a check of the library; what it complains of, in flags, is a wrong use of the command.
template <class Check>
void checking_flags(const std::vector<FlagForWords>& flags, const Check& check) {
  try {
    check();
  } catch (const InvalidInput& error) {
    throw UsageError(in_flags(error.what(), flags));
  }
}

/// When flags have an effect.
struct FlagRule {
  std::vector<std::string> flags;
  bool has_effect = true;
  std::string otherwise;  ///< follows "FLAG has no effect ..."
};

/// Throws UsageError for a flag that was given although it has no effect.
void refuse_idle_flags(const CLI::App& command, const std::vector<FlagRule>& rules);

/// The value of a flag that takes a number or "auto", for which the result is empty. Throws InvalidInput, naming the
/// flag, for anything else.
std::optional<double> number_or_auto(const std::string& flag, const std::string& text);

/// Makes every option of a command refuse empty texts and, if it takes a number, texts that are not one and numbers
/// that do not fit.
void check_values(CLI::App& command);

/// What is wrong with the arguments, in the words of our own messages.
std::string in_plain_words(const CLI::ParseError& error);

/// Before any work: throws InvalidInput if an output is also an input or another output, or cannot be written, which is
/// tried with a temporary file beside it. Empty names are passed over.
void check_files(const std::vector<std::filesystem::path>& inputs, const std::vector<std::filesystem::path>& outputs);

/// Throws InvalidInput, "FILE: reports are written as .html", for another extension. An empty name is passed over.
void check_extension(const std::filesystem::path& output, std::string_view what,
                     const std::vector<std::string_view>& extensions);

}  // namespace dsk::cli
