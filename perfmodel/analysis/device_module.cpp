// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/analysis/device_module.hpp"

#include "perfmodel/analysis/classification.hpp"
#include "perfmodel/analysis/liveness.hpp"
#include "perfmodel/analysis/program.hpp"
#include "perfmodel/analysis/ptxas.hpp"
#include "perfmodel/analysis/walk.hpp"

#include <mutex>

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/Scalar/DCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/InferAddressSpaces.h>
#include <llvm/Transforms/Scalar/NaryReassociate.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SeparateConstOffsetFromGEP.h>
#include <llvm/Transforms/Scalar/StraightLineStrengthReduce.h>
#include <llvm/Transforms/Vectorize/LoadStoreVectorizer.h>

namespace fusec::perfmodel::analysis {

struct DeviceModule::State {
    DeviceCode code;
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> module;
    std::vector<llvm::Function*> kernels;
};

namespace {

void start_backend() {
    static std::once_flag once;
    std::call_once(once, [] {
        LLVMInitializeNVPTXTargetInfo();
        LLVMInitializeNVPTXTarget();
        LLVMInitializeNVPTXTargetMC();
        LLVMInitializeNVPTXAsmPrinter();
    });
}

std::unique_ptr<llvm::TargetMachine> target_machine(const llvm::Module& module, const std::string& architecture) {
    start_backend();
    std::string error;
    const llvm::Target* const target = llvm::TargetRegistry::lookupTarget(module.getTargetTriple(), error);
    if (target == nullptr) {
        return nullptr;
    }
    return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
        module.getTargetTriple(), architecture, "+ptx83", {}, std::nullopt, std::nullopt, llvm::CodeGenOptLevel::Default));
}

std::unique_ptr<llvm::Module> parse(const DeviceCode& code, llvm::LLVMContext& context, Diagnostics& diagnostics) {
    const llvm::MemoryBufferRef buffer(code.bitcode, "device code");
    llvm::Expected<std::unique_ptr<llvm::Module>> module = llvm::parseBitcodeFile(buffer, context);
    if (!module) {
        diagnostics.report(kind::static_analysis, {}, "LLVM cannot read the device code: " + llvm::toString(module.takeError()));
        return nullptr;
    }
    return std::move(*module);
}

/// The functions that are annotated as kernels, in the order of the module.
std::vector<llvm::Function*> kernels_of(llvm::Module& module) {
    std::vector<llvm::Function*> kernels;
    const llvm::NamedMDNode* const annotations = module.getNamedMetadata("nvvm.annotations");
    for (llvm::Function& function : module) {
        bool annotated = false;
        for (unsigned i = 0; annotations != nullptr && i < annotations->getNumOperands(); ++i) {
            const llvm::MDNode* const node = annotations->getOperand(i);
            const auto* const subject =
                node->getNumOperands() < 2 ? nullptr : llvm::dyn_cast_or_null<llvm::ValueAsMetadata>(node->getOperand(0));
            const auto* const name = subject == nullptr ? nullptr : llvm::dyn_cast_or_null<llvm::MDString>(node->getOperand(1));
            annotated = annotated || (name != nullptr && name->getString() == "kernel" && subject->getValue() == &function);
        }
        if (annotated && !function.isDeclaration()) {
            kernels.push_back(&function);
        }
    }
    return kernels;
}

/// Pointers that a kernel is given point to global memory.
void place_parameters(llvm::Function& kernel) {
    llvm::IRBuilder<> builder(&*kernel.getEntryBlock().getFirstInsertionPt());
    for (llvm::Argument& argument : kernel.args()) {
        if (argument.getType()->isPointerTy() && argument.getType()->getPointerAddressSpace() == 0 && !argument.hasByValAttr()) {
            llvm::Value* const global = builder.CreateAddrSpaceCast(&argument, builder.getPtrTy(1));
            llvm::Value* const generic = builder.CreateAddrSpaceCast(global, argument.getType());
            argument.replaceUsesWithIf(generic, [&](const llvm::Use& use) { return use.getUser() != global; });
        }
    }
}

/// Gives the thread's and the block's index the names that expressions of trip counts are told with.
void name_indices(llvm::Function& kernel) {
    for (llvm::BasicBlock& block : kernel) {
        for (llvm::Instruction& instruction : block) {
            for (const auto& [intrinsic, name] : {std::pair{"read.ptx.sreg.tid.x", "tid"}, {"read.ptx.sreg.ctaid.x", "block"}}) {
                if (calls_device_intrinsic(instruction, intrinsic)) {
                    instruction.setName(name);
                }
            }
        }
    }
}

/// What the NVPTX backend does before it selects instructions, and inlining of what clang has left.
void prepare(llvm::Module& module, const std::vector<llvm::Function*>& kernels, llvm::TargetMachine& machine) {
    for (llvm::Function& function : module) {
        if (!function.isDeclaration() && std::find(kernels.begin(), kernels.end(), &function) == kernels.end()) {
            function.removeFnAttr(llvm::Attribute::NoInline);
            function.removeFnAttr(llvm::Attribute::OptimizeNone);
            function.addFnAttr(llvm::Attribute::AlwaysInline);
        }
    }
    for (llvm::Function* const kernel : kernels) {
        place_parameters(*kernel);
        name_indices(*kernel);
    }
    llvm::PassBuilder builder(&machine);
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager components;
    llvm::ModuleAnalysisManager modules;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
    llvm::FunctionPassManager steps;
    steps.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
    steps.addPass(llvm::InferAddressSpacesPass());
    steps.addPass(llvm::SeparateConstOffsetFromGEPPass());
    steps.addPass(llvm::StraightLineStrengthReducePass());
    steps.addPass(llvm::EarlyCSEPass());
    steps.addPass(llvm::NaryReassociatePass());
    steps.addPass(llvm::EarlyCSEPass());
    steps.addPass(llvm::LoadStoreVectorizerPass());
    steps.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
    steps.addPass(llvm::DCEPass());
    llvm::ModulePassManager all;
    all.addPass(llvm::AlwaysInlinerPass(false));
    all.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(steps)));
    all.run(module, modules);
}

} // namespace

DeviceModule::DeviceModule(std::unique_ptr<State> state) : state_(std::move(state)) {}
DeviceModule::~DeviceModule() = default;

std::unique_ptr<DeviceModule> DeviceModule::read(const DeviceCode& code, Diagnostics& diagnostics) {
    auto state = std::make_unique<State>();
    state->code = code;
    state->module = parse(code, state->context, diagnostics);
    if (!state->module) {
        return nullptr;
    }
    const std::unique_ptr<llvm::TargetMachine> machine = target_machine(*state->module, code.architecture);
    if (!machine) {
        diagnostics.report(kind::static_analysis, {}, "this LLVM has no backend for `" + state->module->getTargetTriple() + "`");
        return nullptr;
    }
    state->kernels = kernels_of(*state->module);
    prepare(*state->module, state->kernels, *machine);
    internal_check(!llvm::verifyModule(*state->module), "prepared device code is well-formed");
    return std::unique_ptr<DeviceModule>(new DeviceModule(std::move(state)));
}

std::vector<std::string> DeviceModule::kernels() const {
    std::vector<std::string> names;
    for (const llvm::Function* const kernel : state_->kernels) {
        names.push_back(kernel_name(kernel->getName().str()));
    }
    return names;
}

std::optional<KernelProfile> DeviceModule::profile(
    const std::string& kernel, const Launch& launch, const LatencyTable& latencies, Diagnostics& diagnostics) const {
    const std::vector<std::string> names = kernels();
    const auto found = std::find(names.begin(), names.end(), kernel);
    if (found == names.end()) {
        std::string known;
        for (const std::string& name : names) {
            known += (known.empty() ? "`" : ", `") + name + "`";
        }
        diagnostics.report(kind::static_analysis, {},
            "no kernel is named `" + kernel + "`: " + (known.empty() ? "the text has none" : "the text has " + known));
        return std::nullopt;
    }
    if (launch.threads < 1 || launch.threads > 1024 || launch.block >= launch.blocks) {
        diagnostics.report(kind::static_analysis, {},
            "a launch of " + std::to_string(launch.blocks) + " blocks of " + std::to_string(launch.threads) + " threads has no block " +
                std::to_string(launch.block) + " with 1 to 1024 threads");
        return std::nullopt;
    }
    llvm::Function& function = *state_->kernels[static_cast<std::size_t>(found - names.begin())];
    KernelProfile profile;
    profile.kernel = kernel;
    profile.source = state_->code.source;
    profile.live_registers = live_registers(function);
    walk(translate(function, launch), launch, latencies, profile);
    return profile;
}

std::optional<std::string> DeviceModule::ptx(Diagnostics& diagnostics) const {
    // From the code as clang gave it: the backend prepares it by itself.
    llvm::LLVMContext context;
    const std::unique_ptr<llvm::Module> module = parse(state_->code, context, diagnostics);
    const std::unique_ptr<llvm::TargetMachine> machine = module ? target_machine(*module, state_->code.architecture) : nullptr;
    if (!machine) {
        return std::nullopt;
    }
    llvm::StripDebugInfo(*module);
    llvm::SmallString<0> text;
    llvm::raw_svector_ostream stream(text);
    llvm::legacy::PassManager passes;
    if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile)) {
        diagnostics.report(kind::static_analysis, {}, "the backend of LLVM cannot write PTX");
        return std::nullopt;
    }
    passes.run(*module);
    return std::string(text.data(), text.size());
}

} // namespace fusec::perfmodel::analysis
